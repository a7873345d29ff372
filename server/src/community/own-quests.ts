/**
 * A script of pages with quests: marks those that the signed-in account has completed, as OWN_ROWS marks rows. The text of
 * the mark is in `data-completed`; it replaces the text of elements with the ID in `data-quest`. A button becomes a link.
 */
export const OWN_QUESTS = `{const page=document.querySelector('[data-completed]')
const marks=page?[...page.querySelectorAll('[data-quest]')]:[]
if(marks.length>0&&'signedIn' in document.documentElement.dataset)fetch('/api/my/quests?state=completed&first=50').then(async answer=>{
const completed=new Set((await answer.json()).list.map(one=>one.quest.id))
for(const mark of marks)if(completed.has(mark.dataset.quest)){mark.textContent=page.dataset.completed;mark.classList.remove('button')}
}).catch(()=>{})}`
