import { ALLOWED_CALLS, type AllowedCall } from '../support/operation-call.ts'
import { createDice, type Dice } from './dice.ts'
import { hostileForm } from './form.ts'
import * as hostile from './hostile.ts'
import type { People } from './people.ts'
import { toValidRequest } from './valid-request.ts'

/** A request as its bytes go out. */
export interface Generated {
  /** The name of its entry in the table of operations. */
  operation: string
  method: string
  path: string
  headers: Record<string, string>
  body: Buffer | null
}

/** The request for this seed: valid, corrupted in a place or two, or nonsense. */
export function generate(seed: number, people: People): Generated {
  const dice = createDice(seed)
  const { name, caller } = ALLOWED_CALLS[dice.below(ALLOWED_CALLS.length)]!
  const { method, path, fields } = toValidRequest(name, people, dice)
  const request: Generated = {
    operation: name,
    method,
    path,
    headers: { 'content-type': 'application/json', ...credentials(caller, people, dice) },
    body: fields && Buffer.from(getBody(fields, dice)),
  }
  if (name === 'openTicket' && dice.chance(0.4)) Object.assign(request, hostileForm(request, dice))
  if (name === 'listEvents' && dice.chance(0.6)) request.path += `?${dice.pick(hostile.LIST_QUERIES)}`
  if (request.body && dice.chance(0.2)) request.body = corruptBody(request.body, dice)
  if (dice.chance(0.2)) Object.assign(request.headers, corruptHeaders(people, dice))
  if (dice.chance(0.1)) request.path = corruptPath(request.path, people, dice)
  if (dice.chance(0.07)) request.method = dice.pick(hostile.METHODS)
  if (request.method === 'GET' || request.method === 'HEAD') request.body = null
  return request
}

function credentials(
  caller: AllowedCall['caller'],
  { ours, members, subscribers }: People,
  dice: Dice,
): Record<string, string> {
  if (caller === 'owner') return { 'x-api-key': ours.key }
  if (caller === 'user') return { authorization: `Bearer ${dice.pick([...members, ...subscribers]).token}` }
  return {}
}

/** The fields as JSON. Almost half of the bodies have fields that are missing, hostile, duplicated or new. */
function getBody(fields: [name: string, json: string][], dice: Dice): string {
  const jsonFields = fields.map(([name, json]) => `${JSON.stringify(name)}:${json}`)
  while (dice.chance(0.4)) {
    const place = dice.below(jsonFields.length)
    const [name] = fields[place] ?? ['']
    const hostileField = `${JSON.stringify(name)}:${dice.pick(hostile.VALUES)}`
    const extraField = `${JSON.stringify(dice.pick(hostile.FIELD_NAMES))}:${dice.pick(hostile.VALUES)}`
    dice.pick([
      () => jsonFields.splice(place, 1),
      () => jsonFields.splice(place, 1, hostileField),
      () => jsonFields.splice(place, 1, hostileField),
      () => jsonFields.splice(place, 1, hostileField),
      () => jsonFields.push(hostileField),
      () => jsonFields.push(extraField),
    ])()
  }
  return `{${jsonFields.join(',')}}`
}

function corruptBody(body: Buffer, dice: Dice): Buffer {
  const place = dice.below(body.length + 1)
  const put = (bytes: Buffer) => Buffer.concat([body.subarray(0, place), bytes, body.subarray(place)])
  return dice.pick([
    () => body.subarray(0, place),
    () => put(dice.pick(hostile.BROKEN_UTF8)),
    () => put(Buffer.from([dice.below(256)])),
    () => put(Buffer.from('\\u0000')),
    () => Buffer.from(dice.pick(hostile.BODIES)),
    () => Buffer.from(dice.pick(hostile.BODIES)),
    () => Buffer.from(dice.chance(0.1) ? hostile.OVERSIZED_BODY : dice.pick(hostile.BODIES)),
  ])()
}

function corruptHeaders(people: People, dice: Dice): Record<string, string> {
  const { neighbour, neighbours, anonymous, expired } = people
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
  return dice.pick<() => Record<string, string>>([
    () => ({ 'content-type': dice.pick(hostile.CONTENT_TYPES) }),
    () => ({ 'idempotency-key': dice.pick(hostile.IDEMPOTENCY_KEYS) }),
    () => ({ 'x-api-key': dice.pick([neighbour.key, ...hostile.CREDENTIALS]) }),
    () => bearer(dice.pick([neighbours.token, anonymous, expired, ...hostile.CREDENTIALS])),
    () => ({ ...bearer(anonymous), 'x-api-key': neighbour.key }),
    () => Object.fromEntries([dice.pick(hostile.HEADERS), dice.pick(hostile.HEADERS)]),
  ])()
}

function corruptPath(path: string, { ours }: People, dice: Dice): string {
  const segment = dice.pick(hostile.SEGMENTS)
  return encodeURI(
    dice.pick([
      () => `${path.split('?')[0]}?${dice.pick(hostile.QUERIES)}`,
      () => `${path.split('?')[0]}?${dice.pick(hostile.QUERIES)}`,
      () => path.replace(ours.paywall.id, segment),
      () => `${path.split('?')[0]}/${segment}`,
      () => path.replace('/', '//'),
      () => path.toUpperCase(),
    ])(),
  ).replaceAll('%25', '%')
}
