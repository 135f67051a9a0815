import { randomImage } from '../support/tickets.ts'
import type { Dice } from './dice.ts'

const BOUNDARY = 'a-boundary'

const TEXTS = ['It does not load', '', 'ab', '\u0000', 'x'.repeat(6_000), '__proto__', '\ud800', '😀😀😀'] as const
const NAMES = ['subject', 'content', 'customer_email', 'files', '__proto__', '', 'a"b', 'x'.repeat(300)] as const
const TYPES = ['image/png', 'image/jpeg', 'image/webp', 'image/svg+xml', 'text/html', '', 'image/png;;'] as const
const FILE_NAMES = ['screen.png', '../../etc/passwd', '\u0000.png', '"', 'é'.repeat(200), ''] as const

/** A ticket as a form, whose parts may be anything, and whose multipart structure may be broken. */
export function hostileForm(request: { headers: Record<string, string> }, dice: Dice) {
  const email = `fuzz-${dice.below(1e9)}@example.com`
  const fields: [string, string][] = [
    ['subject', 'It does not load'],
    ['content', 'I paid and see nothing.'],
    ['customer_email', email],
  ]
  while (dice.chance(0.4)) fields.splice(dice.below(3), 1, [dice.pick(NAMES), dice.pick(TEXTS)])
  const parts = fields.map(([name, text]) => part(`name="${name}"`, '', Buffer.from(text)))
  while (dice.chance(0.5)) parts.splice(dice.below(parts.length + 1), 0, file(dice))
  const body = Buffer.concat([...parts, Buffer.from(`--${BOUNDARY}--\r\n`)])
  return {
    headers: { ...request.headers, 'content-type': `multipart/form-data; boundary=${BOUNDARY}` },
    body: dice.chance(0.2) ? body.subarray(0, dice.below(body.length)) : body,
  }
}

function file(dice: Dice): Buffer {
  const { bytes } = randomImage(dice.pick(['image/png', 'image/jpeg', 'image/webp']), 100 + dice.below(2_000))
  const name = dice.chance(0.8) ? 'files' : dice.pick(NAMES)
  const content = dice.chance(0.8) ? bytes : bytes.subarray(dice.below(bytes.length))
  return part(`name="${name}"; filename="${dice.pick(FILE_NAMES)}"`, `Content-Type: ${dice.pick(TYPES)}\r\n`, content)
}

function part(disposition: string, headers: string, content: Buffer): Buffer {
  const head = `--${BOUNDARY}\r\nContent-Disposition: form-data; ${disposition}\r\n${headers}\r\n`
  return Buffer.concat([Buffer.from(head), content, Buffer.from('\r\n')])
}
