import type { SentStatement } from '../contenders/commands.ts'
import { Filler } from '../fill/insert.ts'
import type { Scene } from '../load/scene.ts'
import type { CapturedEndpoint } from './capture.ts'

/** A function whose call cannot be captured and repeated: it works only once, or follows a failure of the processor. */
interface OneShotFunction {
  name: string
  /** SQL that selects the rows to call it with, one for each user id in `people`. */
  rows: (people: string) => string
  /** Its parameters, as SQL expressions over such a row. */
  parameters: string[]
  /** Restores the row before each call, untimed. */
  reset?: string
}

const purchases = (people: string) => `select id::text from purchases where user_id = any (${people})`

/** A cancellation that is claimed and not yet accepted. */
const CLAIMED = `update purchases set cancel_requested_at = '2026-01-01Z', cancel_accepted_at = null where id = $1::uuid`

export const ONE_SHOT_FUNCTIONS: OneShotFunction[] = [
  { name: 'accept_cancellation', rows: purchases, parameters: ['$1::uuid', `'2026-01-01Z'`], reset: CLAIMED },
  { name: 'give_up_cancellation', rows: purchases, parameters: ['$1::uuid', `'2026-01-01Z'`, 'true'], reset: CLAIMED },
  {
    name: 'give_up_checkout',
    rows: (people) =>
      `select k.paywall_id, k.caller, k.idempotency_key::text, k.holder::text
       from checkout_claims k join checkouts c on c.id = k.checkout_id where c.user_id = any (${people})`,
    parameters: ['$1', '$2', '$3::uuid', '$4::uuid', 'true'],
  },
  {
    name: 'refresh_session',
    rows: (people) => `select paywall_id, id::text from sign_in_sessions where user_id = any (${people})`,
    parameters: ['$1', `'bench.example'`, '$2::uuid', `repeat('0', 64)`, `repeat('1', 64)`, '30'],
    reset: `update sign_in_sessions set token_hash = repeat('0', 64), ended_at = null where (paywall_id, id) = ($1, $2::uuid)`,
  },
]

/** Statements that call these functions for the scene's people. Skips a function that the measured tree does not have. */
export async function oneShotStatements(
  functions: OneShotFunction[],
  databaseUrl: string,
  scene: Scene,
): Promise<CapturedEndpoint[]> {
  await using filler = await Filler.open(databaseUrl)
  const people = `'{${scene.people.map(({ id }) => id)}}'::uuid[]`
  const written: CapturedEndpoint[] = []
  for (const { name, rows, parameters, reset } of functions) {
    const [found] = await filler.run(
      `select pronamespace::regnamespace::text as release from pg_proc where proname = $1`,
      [name],
    )
    if (!found) continue
    const query = `select ${found.release}.${name}(${parameters}) as result`
    const samples = (await filler.run(rows(people))).map((row) => {
      const params = Object.values(row)
      const prepare: SentStatement[] = reset === undefined ? [] : [{ query: reset, params }]
      return { statements: [{ query, params }], prepare, fresh: new Set<string>() }
    })
    written.push({ endpoint: name, samples })
  }
  return written
}
