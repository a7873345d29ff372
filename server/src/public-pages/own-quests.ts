/**
 * A script of pages with quests: marks those that the signed-in account has completed, as OWN_ROWS marks rows. The text of
 * the mark is in `data-completed` of the page or of an element; it replaces the text of elements with the ID in
 * `data-quest`. A button becomes a link.
 */
export const OWN_QUESTS = `{const page=document.querySelector('main[data-completed]')
if(page?.querySelector('[data-quest]')&&'signedIn' in document.documentElement.dataset)fetch('/api/my/quests?state=completed&first=50').then(async answer=>{
const completed=new Set((await answer.json()).list.map(one=>one.quest.id))
const show=()=>{for(const mark of document.querySelectorAll('[data-quest]'))if(completed.has(mark.dataset.quest)){
mark.textContent=mark.dataset.completed??page.dataset.completed
mark.classList.remove('button')}}
show()
addEventListener('places',show)
}).catch(()=>{})}`
