// The environment of histories, started once and used for one after the other: the local world with its crons, on its own Postgres. It has
// no rate limits, since the calls of all people come from one address.
import type { PaywallFile } from '../../cli/paywall-file/file.ts'
import type { Postgres } from '../../dev/world/database/postgres.ts'
import { preparedDatabase, startScratchPostgres } from '../../dev/world/database/scratch-postgres.ts'
import { makeSecrets } from '../../dev/world/secrets.ts'
import { startWorld } from '../../dev/world/world.ts'
import { expectDocumented } from '../support/expect-documented.ts'
import type { TestWorld } from '../support/world.ts'

export interface Stage {
  /** The world, without the fields that depend on a paywall file. */
  world: Omit<TestWorld, 'file' | 'paywall' | 'key'>
  postgres: Postgres
  /**
   * Violations that belong to no life, such as a response that the API's document does not describe, a request without a response, or an
   * unexpected failure of a Worker.
   */
  faults: string[]
  /** Sends a webhook of an emulator. */
  sendWebhook: typeof fetch
  /** Applies the owner's file, which replaces the previous one. */
  putUp(file: PaywallFile): Promise<void>
}

/** How often the crons run: as often as in the local world. */
const CRON_SECONDS = 2
/** The longest time that a request may take. */
const RESPONSE_TIMEOUT_SECONDS = 60

export async function startStage(started: AsyncDisposableStack): Promise<Stage> {
  const postgres = started.adopt(await startScratchPostgres(), (server) => server.stop())
  const secrets = await makeSecrets()
  const files: PaywallFile[] = []
  const faults: string[] = []
  const running = started.adopt(
    await startWorld({
      databaseUrl: await preparedDatabase(postgres, 'sim', secrets.DATABASE_ROLES_KEY),
      secrets,
      files: () => files,
      ports: { service: 0, receiver: 0, mail: 0 },
      variables: { RATE_LIMITED: false },
      rateLimitedAccounts: false,
      fetch: (input, init) => stage.sendWebhook(input, init),
      onLog: (_level, message) => void (message.includes('unexpected failure') && faults.push(message)),
    }),
    (world) => world.close(),
  )
  started.defer(running.crons.start(CRON_SECONDS, () => undefined))

  /** Sends a request to the gateway. It is a violation if no response arrives in time, but not if a kill drops the connection. */
  const ask: TestWorld['fetch'] = async (path, init = {}) => {
    const signal = AbortSignal.timeout(RESPONSE_TIMEOUT_SECONDS * 1000)
    const headers = new Headers(init.headers as Record<string, string>)
    headers.set('accept-encoding', 'identity')
    const request = { ...init, headers: Object.fromEntries(headers), signal }
    const response = await running.fetch(path, request).catch((error) => {
      if (signal.aborted) faults.push(`${path} was not answered within ${RESPONSE_TIMEOUT_SECONDS} seconds`)
      throw error
    })
    return expectDocumented({ url: path, method: init.method }, response).catch((error: Error) => {
      faults.push(error.message)
      throw error
    })
  }

  const stage: Stage = {
    world: { ...running, fetch: ask, secrets, logs: [] },
    postgres,
    faults,
    sendWebhook: fetch,
    async putUp(file) {
      files.splice(0, Infinity, file)
      await running.apply(file)
    },
  }
  return stage
}
