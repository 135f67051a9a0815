import { livePage } from './live-page.ts'
import type { Mail } from './mail.ts'

/** The page of the mails, in the order given. */
export function mailPage(mails: Mail[]): string {
  return livePage({
    title: 'Mails',
    none: 'None yet. Ask for a sign-in code.',
    entries: mails.map(({ at, from, to, subject, text }) => ({
      title: subject,
      at,
      facts: [`from ${from.name} <${from.email}>`, `to ${to}`],
      body: text,
    })),
  })
}
