import { DEFINITIONS } from '../../../lib/processors/definitions.ts'
import type { ApiControls } from './calls.ts'
import type { RecordControl } from './controls/controls.ts'
import { controlsByHand } from './controls/controls-by-hand.ts'
import { listAddresses, runControl } from './controls/hand-controls.ts'
import { type AnyPaywall, groupAccounts } from './domain/accounts.ts'
import { createClock } from './domain/clock.ts'
import type { AccountContext } from './domain/context.ts'
import { Records } from './domain/records.ts'
import type { EmulatorOptions, TypedEmulator } from './emulator.ts'
import { controlMethods, recordProperties } from './emulator-parts.ts'
import { frontPage } from './pages/front-page.ts'
import { page } from './pages/html-responses.ts'
import { visit } from './pages/visits.ts'
import type { Processor } from './processor.ts'
import { createReplicas } from './replicas.ts'
import { runEmulator } from './run-emulator.ts'
import type { HttpRequest, HttpResponse } from './server.ts'
import { openState } from './state.ts'
import { createStore } from './store.ts'
import { createWebhooks } from './webhooks/webhooks.ts'
import { createApi } from './wire/api.ts'
import { EmulatorError } from './wire/emulator-error.ts'
import { withUnknownValues } from './wire/unknown-values.ts'

/**
 * The emulator of a processor, to be started on 127.0.0.1 over the paywalls that sell through it. It reads the kept records;
 * joins webhooks, store, clock and API over them; serves API, hosted pages and controls at one address; then sends the
 * webhooks that the last run did not deliver.
 */
export const createEmulator =
  <
    Paywall extends AnyPaywall,
    Event extends { id: string },
    Body,
    Controls extends Record<string, RecordControl>,
    List extends string,
    Switch extends string,
  >(
    processor: Processor<Paywall, Event, Body, Controls, List, Switch>,
  ) =>
  async (options: EmulatorOptions<Paywall>): Promise<TypedEmulator<Event, Body, Controls, List, Switch>> => {
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
      ...{ processor, title, state, accounts, serviceUrl: options.serviceUrl, url: address },
      nowOf: (accountId) => store.contextOf(accountId).now,
      fetch: (...request) => (options.fetch ?? fetch)(...request),
    })
    const isOn = (name: string) => Reflect.get(emulator, name) === true
    const asSent = withUnknownValues
    const replicaOf = (context: AccountContext) => replicas.read(context)
    const store = createStore({
      state,
      accounts,
      url: address,
      isOn,
      send: webhooks.send,
      replicaOf,
      asSent,
      processor,
    })
    const replicas = createReplicas(state.records, store.contextOf)
    const clock = createClock({
      state,
      open: store.contextOf,
      listDues: processor.listDues,
      webhooks,
      changed: replicas.capture,
    })
    const apiControls: ApiControls<Body> = { calls: [], failures: [], onCall: () => emulator.onCall }
    const openContext = store.openContext
    const { rateLimited = true } = options
    const api = createApi({ processor, state, controls: apiControls, accounts, openContext, rateLimited })

    async function handle(request: HttpRequest): Promise<HttpResponse | null> {
      const { path } = request
      if (path === '/') return page(200, await frontPage(title, processor.about, listAddresses(byHand)))
      if (path.startsWith('/_emulator/')) return runControl(byHand, request)
      return (await visit(processor.visits, store, request)) ?? api(request)
    }

    const { url, close } = await runEmulator({ port: options.port, handle, sweep: clock.sweep, webhooks, state })
    const common = {
      url,
      calls: apiControls.calls,
      records: state.records,
      accountOf: store.accountOf,
      ...webhooks.methods,
      sellersBeside: (paywallId: string) => store.sellersBeside(paywallId),
      timeOf: (paywallId: string) => store.contextOf(store.accountOf(paywallId)).now,
      nextDue: (paywallId: string) => clock.nextDue(store.accountOf(paywallId)),
      moveTo: async (paywallId: string, at: number) => clock.moveTo(store.accountOf(paywallId), at),
      async declineCharges(customerId: string, declines = true) {
        await store.change('customers', customerId, (_, customer) => Object.assign(customer, { declines }))
      },
      forgetKeys: () => state.records.replies.clear(),
      failNext(path: string, status: number, body: unknown = orderedBody(status)) {
        apiControls.failures.push({ path, status, body })
      },
      close,
    }
    const orderedBody = (status: number) => processor.api.errorBody(new EmulatorError(status, 'An error was ordered.'))
    const properties = recordProperties(processor, store, webhooks.shown)
    // The names of the parts are known to the types alone.
    const emulator = Object.defineProperties(
      Object.assign(common, controlMethods(processor.controls, store)),
      properties,
    ) as unknown as TypedEmulator<Event, Body, Controls, List, Switch>
    const byHand = controlsByHand(processor, emulator, store)
    webhooks.resume()
    return emulator
  }
