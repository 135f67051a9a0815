import { DEFINITIONS } from '../../../lib/processors/definitions.ts'
import type { ApiControls } from './calls.ts'
import type { RecordControl } from './controls/controls.ts'
import { createHttpControls } from './controls/create-http-controls.ts'
import { listAddresses, runControl } from './controls/http-controls.ts'
import { type AnyPaywall, groupAccounts } from './domain/accounts.ts'
import { createClock } from './domain/clock.ts'
import type { AccountContext } from './domain/context.ts'
import { Records, type Table } from './domain/records.ts'
import type { Emulator, EmulatorOptions, ProcessorEmulator } from './emulator.ts'
import { frontPage } from './pages/front-page.ts'
import { page } from './pages/html-responses.ts'
import { visit } from './pages/visits.ts'
import type { AnyEvent, PaywallType, Processor } from './processor.ts'
import { createReplicas } from './replicas.ts'
import { runEmulator } from './run-emulator.ts'
import type { HttpRequest, HttpResponse } from './server.ts'
import { openState } from './state.ts'
import { createStore, type Store } from './store.ts'
import { createWebhooks } from './webhooks/webhooks.ts'
import { createApi } from './wire/api.ts'
import { EmulatorError } from './wire/emulator-error.ts'
import { withUnknownValues } from './wire/unknown-values.ts'

/** Returns the function that starts a processor's emulator. */
export const createEmulator =
  <const P extends Processor>(processor: P) =>
  async (options: EmulatorOptions<PaywallType<P>>): Promise<ProcessorEmulator<P>> => {
    // The names of controls, lists and switches are known to the types only.
    return (await startEmulator(processor, options)) as unknown as ProcessorEmulator<P>
  }

/**
 * Loads the kept records; connects webhooks, store, clock and API; serves API, hosted pages and controls at one address; then
 * sends the webhooks that the last run did not deliver.
 */
async function startEmulator(
  processor: Processor,
  options: EmulatorOptions<AnyPaywall>,
): Promise<Emulator<AnyEvent, unknown>> {
  const { title } = DEFINITIONS[processor.name]
  const kept = await openState(Records, title, options.statePath)
  const save = () => {
    replicas.capture()
    return kept.save()
  }
  const state = { ...kept, save }
  const accounts = () => groupAccounts(options.accounts(), processor.accountId)
  const address = () => emulator.url
  const webhooks = createWebhooks({
    processor,
    title,
    state,
    accounts,
    serviceUrl: options.serviceUrl,
    url: address,
    accountTime: (accountId) => store.contextFor(accountId).now,
    fetch: (...request) => (options.fetch ?? fetch)(...request),
  })
  const isOn = (name: string) => Reflect.get(emulator, name) === true
  const asSent = withUnknownValues
  const readReplica = (context: AccountContext) => replicas.read(context)
  const store = createStore({
    state,
    accounts,
    url: address,
    isOn,
    send: webhooks.send,
    readReplica,
    asSent,
    processor,
  })
  const replicas = createReplicas(state.records, store.contextFor)
  const clock = createClock({
    state,
    open: store.contextFor,
    listDues: processor.listDues,
    webhooks,
    changed: replicas.capture,
  })
  const apiControls: ApiControls = { calls: [], failures: [], onCall: () => emulator.onCall }
  const openContext = store.openContext
  const { rateLimited = true } = options
  const api = createApi({ processor, state, controls: apiControls, accounts, openContext, rateLimited })

  async function handle(request: HttpRequest): Promise<HttpResponse | null> {
    const { path } = request
    if (path === '/') return page(200, await frontPage(title, processor.about, listAddresses(controls)))
    if (path.startsWith('/_emulator/')) return runControl(controls, request)
    return (await visit(processor.visits, store, request)) ?? api(request)
  }

  const { url, close } = await runEmulator({
    port: options.port,
    handle,
    runRealTimeDues: clock.runRealTimeDues,
    webhooks,
    state,
  })
  const common = {
    url,
    calls: apiControls.calls,
    records: state.records,
    get events() {
      return webhooks.shown()
    },
    getAccount: store.getAccount,
    ...webhooks.methods,
    paywallsSharingAccount: (paywallId: string) => store.paywallsSharingAccount(paywallId),
    currentTime: (paywallId: string) => store.contextFor(store.getAccount(paywallId)).now,
    nextDue: (paywallId: string) => clock.nextDue(store.getAccount(paywallId)),
    moveTo: async (paywallId: string, at: number) => clock.moveTo(store.getAccount(paywallId), at),
    async declineCharges(customerId: string, declines = true) {
      await store.change('customers', customerId, (_, customer) => Object.assign(customer, { declines }))
    },
    forgetKeys: () => state.records.replies.clear(),
    failNext(path: string, status: number, body: unknown = injectedBody(status)) {
      apiControls.failures.push({ path, status, body })
    },
    close,
  }
  const injectedBody = (status: number) => processor.api.errorBody(new EmulatorError(status, 'An error was injected.'))
  const properties = recordProperties(processor, store)
  const methods = controlMethods(processor.controls, store)
  const emulator: Emulator<AnyEvent, unknown> = Object.defineProperties(Object.assign(common, methods), properties)
  const controls = createHttpControls(processor, emulator, store)
  webhooks.resume()
  return emulator
}

/** The controls of records as methods: `renew(id, { fail: true })`. */
const controlMethods = (controls: Record<string, RecordControl>, store: Store) =>
  Object.fromEntries(
    Object.entries(controls).map(([name, { toOptions, run }]) => [
      name,
      async (id: string, given?: never) => run(store, id, toOptions(given)),
    ]),
  )

/** Lists and switches as properties of the emulator. */
function recordProperties(
  { lists, switches }: { lists: Record<string, Table>; switches: readonly string[] },
  store: Store,
): PropertyDescriptorMap {
  const shown = Object.entries(lists).map(([name, table]) => [name, { get: () => store.showAll(table) }])
  const switched = switches.map((name) => [name, { value: false, writable: true }])
  return Object.fromEntries([...shown, ...switched])
}
