import { log } from '../../lib/log/log.ts'
import { isLongCode } from './sign-in-code.ts'

interface CodeMail {
  /** A valid address: what `newEmail` lets through has no line break and no comma. */
  to: string
  code: string
  /** How long the code holds. */
  minutes: number
  paywallName: string
  /** Whether the code also brings back what somebody bought with this address without signing in. */
  restores: boolean
}

/**
 * Mails a code. A failure is logged and ends there, since whoever asked was answered already and can ask again. The
 * error's message is left out of the log: it may name the address.
 */
export async function mailCode(env: { EMAIL: SendEmail; EMAIL_FROM: string }, mail: CodeMail): Promise<void> {
  const sender = oneLine(mail.paywallName)
  try {
    await env.EMAIL.send({
      from: { name: sender, email: env.EMAIL_FROM },
      to: mail.to,
      subject: `${mail.code} is your code for ${sender}`,
      text: [
        `Your sign-in code for ${sender} is ${mail.code}.`,
        '',
        ...(isLongCode(mail.code) ? aboutLong(mail.minutes) : about(mail.minutes)),
        'If you did not ask for it, you need not do anything.',
        ...(mail.restores ? ['', ...offer(sender)] : []),
        '',
      ].join('\n'),
    })
  } catch (error) {
    log('error', 'a sign-in code was not mailed', { reason: reasonOf(error) })
  }
}

const about = (minutes: number) => [`It holds for ${spanOf(minutes)} and works once. Give it to nobody.`]

const aboutLong = (minutes: number) => [
  `It holds for ${spanOf(minutes)} and works once, wherever you are asked for a code. Give it to nobody.`,
  'Many codes were asked for lately, perhaps by others. So this one is longer, and for some time no other is mailed unless you have',
  'used it.',
]

const spanOf = (minutes: number) => (minutes < 120 ? `${minutes} minutes` : `${minutes / 60} hours`)

/** What the mail says where the address was given at a purchase: signing in with this code accepts it. */
const offer = (sender: string) => [
  `Something was bought on ${sender} with this address, by somebody who was not signed in.`,
  'When you sign in with this code, that purchase comes to your account.',
]

/** A name that is safe in a header: line breaks and other control characters would begin a header of its own. */
function oneLine(name: string): string {
  return name.replace(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ').trim()
}

/** Cloudflare's code of the failure, such as `E_RATE_LIMIT_EXCEEDED`, or else the kind of error. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error
  return 'code' in error ? String(error.code) : error.name
}
