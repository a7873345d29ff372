import { SECOND } from '../clock.ts'

/** The time between two reads of a board that is open in a browser, and the part of it that differs between browsers. */
const POLL = 30 * SECOND
const JITTER = 0.2
const MAX_DELAY = 5 * 60 * SECOND

/**
 * A script of boards: while the page is visible, reads it again every 30 seconds and exchanges the places in it. The
 * browser sends the ETag that it has, so an unchanged board costs 304. After an error the next read is later. Nothing is
 * read while the page is hidden, or if the visitor saves data. The first member of an empty board brings all parts of the
 * page. The event `places` says that places were exchanged.
 */
export const LIVE_BOARD = `{const main=document.querySelector('[data-live]')
const PARTS=['.podium','tbody','.next','.member-count','.count']
let timer,due=0,delay=${POLL},tag
const plan=()=>{clearTimeout(timer)
if(document.visibilityState==='visible')timer=setTimeout(read,Math.max(due-Date.now(),0))}
const after=wait=>{due=Date.now()+wait*(1+${JITTER}*(2*Math.random()-1));plan()}
const exchange=text=>{
const next=new DOMParser().parseFromString(text,'text/html')
const at=main.contains(document.activeElement)?document.activeElement.getAttribute('href'):null
const whole=next.querySelector('main')
if(!main.querySelector('tbody')!==!whole.querySelector('tbody'))main.replaceChildren(...whole.childNodes)
else for(const name of PARTS){const part=main.querySelector(name),other=next.querySelector(name)
if(part&&other&&part.outerHTML!==other.outerHTML)part.replaceWith(other)}
if(at!==null&&document.activeElement===document.body)main.querySelector('tbody [href="'+CSS.escape(at)+'"]')?.focus({preventScroll:true})
dispatchEvent(new Event('places'))}
const read=async()=>{try{
const answer=await fetch(location.href,{cache:'no-cache',headers:{accept:'text/html'}})
if(answer.status===404)return
if(!answer.ok)throw answer.status
const found=answer.headers.get('etag')
if(found===null||found!==tag)exchange(await answer.text())
tag=found
delay=${POLL}
}catch{delay=Math.min(delay*2,${MAX_DELAY})}
after(delay)}
if(main&&!navigator.connection?.saveData){after(delay)
document.addEventListener('visibilitychange',plan)}}`
