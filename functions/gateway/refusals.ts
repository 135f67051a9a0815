import type { ErrorPageContent } from '../../lib/http/error-page.ts'
import type { InLanguages } from '../../lib/http/preferred-language.ts'
import type { sharedErrors } from '../../lib/http/shared-errors.ts'

/** Why the gateway itself refuses a request. */
export type Refusal = keyof typeof sharedErrors & ('not_found' | 'rate_limited' | 'failed')

/** The error page of each. */
export const MESSAGES: Readonly<Record<Refusal, InLanguages<ErrorPageContent>>> = {
  not_found: {
    en: {
      title: 'Page not found',
      text: 'Check the address or go back. Nothing was submitted.',
    },
    de: {
      title: 'Seite nicht gefunden',
      text: 'Prüfen Sie die Adresse, oder gehen Sie zurück. Es wurde nichts gesendet.',
    },
  },
  rate_limited: {
    en: {
      title: 'Too many requests',
      text: 'Nothing was submitted and nothing was charged. Wait ten seconds, go back and try again.',
    },
    de: {
      title: 'Zu viele Anfragen',
      text: 'Es wurde nichts gesendet und nichts abgebucht. Warten Sie zehn Sekunden, gehen Sie zurück, und versuchen Sie es erneut.',
    },
  },
  failed: {
    en: {
      title: 'Something went wrong on our end',
      text: 'Your request may not have been processed. Go back, reload the page to check, and try again.',
    },
    de: {
      title: 'Bei uns ist etwas schiefgegangen',
      text: 'Ihre Anfrage wurde möglicherweise nicht bearbeitet. Gehen Sie zurück, laden Sie die Seite neu, um das zu prüfen, und versuchen Sie es erneut.',
    },
  },
}
