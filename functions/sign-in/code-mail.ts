// The mail with a sign-in code, in English and German.

import { CODE_MINUTES } from '../../lib/auth/challenge.ts'
import type { InLanguages, Language } from '../../lib/http/preferred-language.ts'

export interface CodeMail {
  /** Validated by `newEmail`: it has no line break and no comma. */
  to: string
  code: string
  paywallName: string
  /** Whether the code also restores purchases that were made with this address without signing in. */
  restores: boolean
  language: Language
}

interface MailTexts {
  subject: string
  /** The lines of the mail. */
  text: string[]
  /** The offer to restore purchases made with the address: signing in with the code accepts it. */
  restoreOffer: string[]
}

const TEXTS: InLanguages<(code: string, sender: string) => MailTexts> = {
  en: (code, sender) => ({
    subject: `${code} is your code for ${sender}`,
    text: [
      `Your sign-in code for ${sender} is ${code}.`,
      '',
      `This code expires in ${CODE_MINUTES} minutes and works once. Don't share it with anyone.`,
      "If you didn't ask for it, you can ignore this e-mail.",
    ],
    restoreOffer: [
      `A purchase was made on ${sender} with this address by somebody who was not signed in.`,
      'When you sign in with this code, that purchase is added to your account.',
    ],
  }),
  de: (code, sender) => ({
    subject: `${code} ist Ihr Code für ${sender}`,
    text: [
      `Ihr Anmeldecode für ${sender} lautet ${code}.`,
      '',
      `Der Code gilt ${CODE_MINUTES} Minuten und funktioniert einmal. Geben Sie ihn niemandem weiter.`,
      'Wenn Sie ihn nicht angefordert haben, können Sie diese E-Mail ignorieren.',
    ],
    restoreOffer: [
      `Mit dieser Adresse wurde auf ${sender} ohne Anmeldung etwas gekauft.`,
      'Wenn Sie sich mit diesem Code anmelden, wird dieser Kauf in Ihr Konto übernommen.',
    ],
  }),
}

/** The mail as Cloudflare sends it. */
export function writeCodeMail({ to, code, paywallName, restores, language }: CodeMail, from: string) {
  const sender = oneLine(paywallName)
  const { subject, text, restoreOffer } = TEXTS[language](code.replace(/^.{4}/, '$& '), sender)
  const lines = [...text, ...(restores ? ['', ...restoreOffer] : []), '']
  return { from: { name: sender, email: from }, to, subject, text: lines.join('\n') }
}

/** Makes a name safe for a header: line breaks and other control characters could start another header. */
function oneLine(name: string): string {
  return name.replace(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ').trim()
}
