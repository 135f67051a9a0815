import { hash } from 'node:crypto'
import type { PaywallFile } from '../../cli/paywall-file/file.ts'
import type { Credentials } from '../../lib/processors/definitions.ts'
import { PROCESSOR_NAMES, type ProcessorName } from '../../lib/processors/processor-name.ts'
import * as chargebee from './chargebee/accounts.ts'
import { chargebeeActs } from './chargebee/acts.ts'
import { startChargebeeEmulator } from './chargebee/emulator.ts'
import type { Account, Acts } from './core/acts/acts.ts'
import { byInvoice } from './core/acts/by-invoice.ts'
import type { EmulatorOptions } from './core/emulator.ts'
import * as freemius from './freemius/accounts.ts'
import { freemiusActs } from './freemius/acts.ts'
import { startFreemiusEmulator } from './freemius/emulator.ts'
import * as mollie from './mollie/accounts.ts'
import { mollieActs } from './mollie/acts.ts'
import { startMollieEmulator } from './mollie/emulator.ts'
import * as polar from './polar/accounts.ts'
import { startPolarEmulator } from './polar/emulator.ts'
import * as stripe from './stripe/accounts.ts'
import { startStripeEmulator } from './stripe/emulator.ts'

/** The options of every emulator. Its accounts come from the paywall files. */
export interface LocalEmulatorOptions extends Omit<EmulatorOptions<unknown>, 'accounts'> {
  files: () => PaywallFile[]
}

/** The emulators by processor. */
export const EMULATORS = {
  stripe: {
    port: 8788,
    ...localEmulator(startStripeEmulator, stripe.listAccounts, byInvoice),
    demoCredentials: stripe.demoCredentials,
    demoPrice: (name: string) => `price_${name}`,
    demoDiscount: (name: string) => name,
  },
  polar: {
    port: 8792,
    ...localEmulator(startPolarEmulator, polar.listAccounts, byInvoice),
    demoCredentials: polar.demoCredentials,
    demoPrice: (name: string) => polar.toUuid(`product ${name}`),
    demoDiscount: (name: string) => polar.toUuid(`discount ${name}`),
  },
  chargebee: {
    port: 8793,
    ...localEmulator(startChargebeeEmulator, chargebee.listAccounts, chargebeeActs),
    demoCredentials: chargebee.demoCredentials,
    demoPrice: (name: string) => name.replaceAll('_', '-'),
    demoDiscount: (name: string) => name,
  },
  freemius: {
    port: 8794,
    ...localEmulator(startFreemiusEmulator, freemius.listAccounts, freemiusActs),
    demoCredentials: freemius.demoCredentials,
    demoPrice: (name: string) => `${hashToNumber(`plan ${name}`)}:${hashToNumber(`pricing ${name}`)}`,
    demoDiscount: (name: string) => name,
  },
  mollie: {
    port: 8789,
    ...localEmulator(startMollieEmulator, mollie.listAccounts, mollieActs),
    demoCredentials: mollie.demoCredentials,
    demoPrice: (_name: string, title: string) => title,
    demoDiscount: (name: string) => name,
  },
} satisfies { [Name in ProcessorName]: LocalEmulator<Name> }

interface LocalEmulator<Name extends ProcessorName> {
  /** The default port of `npm run dev`. */
  port: number
  start(options: LocalEmulatorOptions): Promise<{ url: string; close(): Promise<void> }>
  /** The acts in an account. */
  acts(emulator: never, account: Account<Name>): Acts
  /** New credentials for a demo, in the processor's format. */
  demoCredentials(): Credentials<Name>
  /**
   * The `processorPrice` of a demo's price, always the same for the same `name`, such as `monthly_usd`. `title` is the name that
   * buyers see.
   */
  demoPrice(name: string, title: string): string
  /** The `processorDiscount` of a demo's offer, where the processor has discounts: always the same for the same `name`. */
  demoDiscount(name: string): string
}

/** A numeric id derived from a text. */
const hashToNumber = (text: string) => Number.parseInt(hash('sha256', text).slice(0, 6), 16)

/** The running emulators by processor. */
export type Emulators = { [Name in ProcessorName]: Awaited<ReturnType<(typeof EMULATORS)[Name]['start']>> }

/** Starts the emulators of all processors one after the other. The stack stops them. */
export async function startEmulators(
  toOptions: (acquiring: ProcessorName) => LocalEmulatorOptions,
  started: AsyncDisposableStack,
): Promise<Emulators> {
  const running = []
  for (const acquiring of PROCESSOR_NAMES) {
    const emulator = await EMULATORS[acquiring].start(toOptions(acquiring))
    running.push([acquiring, started.adopt<{ close(): Promise<void> }>(emulator, (part) => part.close())])
  }
  return Object.fromEntries(running) as Emulators
}

/**
 * Switches off *Restrict Single Subscription Per User*, as owners who sell upgrades must: see docs/processors/freemius.md.
 */
export function allowSeveralSubscriptions({ freemius }: Emulators): void {
  freemius.manySubscriptions = true
}

/** Combines an emulator with the accounts of the paywall files and its acts. */
function localEmulator<Seller, Emulator, ActsAccount>(
  start: (options: EmulatorOptions<Seller>) => Promise<Emulator>,
  listAccounts: (files: PaywallFile[], serviceUrl: () => string) => Seller[],
  acts: (emulator: Emulator, account: ActsAccount) => Acts,
) {
  return {
    start: ({ files, ...options }: LocalEmulatorOptions) =>
      start({ ...options, accounts: () => listAccounts(files(), options.serviceUrl) }),
    acts,
  }
}
