import guide from '../../generated/guide.html'
import { GUIDE_PATH } from './contract.ts'
import { page } from './page.ts'

/** docs/guide.md, converted to HTML by `npm run generate`. */
export const GUIDE_PAGE = page({
  title: 'Guide: Paywall Billing',
  path: GUIDE_PATH,
  content: `<div class="with-contents columns">\n${guide}</div>`,
})
