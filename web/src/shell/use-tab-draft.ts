import { useQuery } from '@tanstack/react-query'
import { type Dispatch, type SetStateAction, useEffect, useState } from 'react'
import { sessionQuery } from '../api/session.ts'
import { tabStorage } from './tab-storage.ts'

/**
 * The input of a form. It stays in the tab until the form is as at the start, because an action can require a new
 * sign-in, which leaves the page. Only the account that typed it sees it again.
 */
export function useTabDraft<Form extends object>(name: string, empty: Form): [Form, Dispatch<SetStateAction<Form>>] {
  const account = useQuery(sessionQuery).data?.account?.id ?? ''
  const key = `${name} by ${account}`
  const [form, setForm] = useState(() => ({ ...empty, ...read(key) }))
  const text = JSON.stringify(form)
  const isEmpty = text === JSON.stringify(empty)
  useEffect(() => {
    if (isEmpty) tabStorage.removeItem(key)
    else tabStorage.setItem(key, text)
  }, [key, text, isEmpty])
  return [form, setForm]
}

function read(key: string): object {
  const text = tabStorage.getItem(key)
  return text === null ? {} : (JSON.parse(text) as object)
}
