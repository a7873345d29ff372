/**
 * A script of pages with members: marks those of the signed-in account, by address or by the mark of its own address. The
 * page itself is the same for everyone, so that caches can keep it. The text of the mark is in `data-you`. Browsers without
 * the cookie of members send no request. If the request fails, the page stays without marks. Places that a live board
 * exchanges are marked again.
 */
export const OWN_ROWS = `{const page=document.querySelector('[data-you]')
if(page&&'signedIn' in document.documentElement.dataset)fetch('/api/session').then(async answer=>{
const{account}=await answer.json()
const own=new Set(account?.identities.filter(one=>one.useForEligibility!==null).map(one=>one.subject).concat(account.marks))
const show=()=>{for(const name of page.querySelectorAll('.name[title],.name[data-mark]')){
if(!own.has(name.title||name.dataset.mark)||name.nextSibling?.className==='you')continue
const mark=document.createElement('span')
mark.className='you'
mark.textContent=page.dataset.you
name.after(mark)
name.closest('tr')?.classList.add('mine')}}
show()
addEventListener('places',show)
}).catch(()=>{})}`
