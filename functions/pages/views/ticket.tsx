import { TICKET_CONTENT_LENGTH, TICKET_SUBJECT_LENGTH } from '../../../lib/http/input-limits.ts'
import { TICKET_PATH } from '../contract.ts'
import type { Site } from '../site.ts'
import { ImagesField } from './images-field.tsx'
import { sitePage } from './layout.tsx'
import { Notice } from './notice.tsx'
import { EmailField } from './sign-in.tsx'

interface Shown {
  /** The values written before an error, by field name. */
  written?: Record<string, string>
  problem?: string
  /** The number of the ticket that was opened. */
  opened?: number
}

/** The support form. Its fields have the API's names; text fields come before images, as `openTicket` expects. */
export function ticketPage(site: Site, { written = {}, problem, opened }: Shown) {
  const { texts } = site
  return sitePage(site, {
    title: texts.ticket,
    children: (
      <>
        <h1>{texts.ticket}</h1>
        {problem && <Notice kind="problem" text={problem} />}
        {opened === undefined ? (
          <form class="card" method="post" enctype="multipart/form-data" action={site.href(TICKET_PATH)}>
            {!site.user?.email && <EmailField site={site} name="customer_email" value={written.customer_email ?? ''} />}
            <label>
              {texts.subject}
              <input
                name="subject"
                value={written.subject}
                required
                minlength={TICKET_SUBJECT_LENGTH[0]}
                maxlength={TICKET_SUBJECT_LENGTH[1]}
              />
            </label>
            <label>
              {texts.message}
              <textarea name="content" rows={8} required maxlength={TICKET_CONTENT_LENGTH[1]}>
                {written.content}
              </textarea>
            </label>
            <ImagesField texts={texts} />
            <div class="row">
              <button type="submit" class="primary">
                {texts.send}
              </button>
            </div>
          </form>
        ) : (
          <Notice kind="good" text={texts.ticketOpened(opened)} />
        )}
      </>
    ),
  })
}
