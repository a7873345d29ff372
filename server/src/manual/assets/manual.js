// What a browser can do beyond reading: copy a block of code; on phones the contents begin folded.
const narrow = matchMedia('(max-width: 59rem)')
const foldContents = () => (document.querySelector('details.contents').open = !narrow.matches)
foldContents()
narrow.addEventListener('change', foldContents)

for (const block of document.querySelectorAll('pre')) {
  const button = document.createElement('button')
  button.textContent = 'Copy'
  button.className = 'copy'
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(block.querySelector('code').textContent)
    button.textContent = 'Copied'
    setTimeout(() => (button.textContent = 'Copy'), 1500)
  })
  const frame = document.createElement('div')
  frame.className = 'code'
  block.tabIndex = 0
  block.replaceWith(frame)
  frame.append(block, button)
}
