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

/** What an emulator is started with, whichever processor's it is: its accounts are those of the paywall files. */
export interface LocalEmulatorOptions extends Omit<EmulatorOptions<unknown>, 'accounts'> {
  files: () => PaywallFile[]
}

/** An emulator for each processor. */
export const EMULATORS = {
  stripe: {
    port: 8788,
    ...emulated(startStripeEmulator, stripe.listAccounts, byInvoice),
    demoCredentials: stripe.demoCredentials,
    demoPrice: (name: string) => `price_${name}`,
  },
  polar: {
    port: 8792,
    ...emulated(startPolarEmulator, polar.listAccounts, byInvoice),
    demoCredentials: polar.demoCredentials,
    demoPrice: (name: string) => polar.toUuid(`product ${name}`),
  },
  chargebee: {
    port: 8793,
    ...emulated(startChargebeeEmulator, chargebee.listAccounts, chargebeeActs),
    demoCredentials: chargebee.demoCredentials,
    demoPrice: (name: string) => name.replaceAll('_', '-'),
  },
  freemius: {
    port: 8794,
    ...emulated(startFreemiusEmulator, freemius.listAccounts, freemiusActs),
    demoCredentials: freemius.demoCredentials,
    demoPrice: (name: string) => `${hashToNumber(`plan ${name}`)}:${hashToNumber(`pricing ${name}`)}`,
  },
  mollie: {
    port: 8789,
    ...emulated(startMollieEmulator, mollie.listAccounts, mollieActs),
    demoCredentials: mollie.demoCredentials,
    demoPrice: (_name: string, title: string) => title,
  },
} satisfies { [Name in ProcessorName]: LocalEmulator<Name> }

interface LocalEmulator<Name extends ProcessorName> {
  /** Where `npm run dev` starts it, if it is not told otherwise. */
  port: number
  start(options: LocalEmulatorOptions): Promise<{ url: string; close(): Promise<void> }>
  /** What can happen in an account without us. */
  acts(emulator: never, account: Account<Name>): Acts
  /** New credentials for a demo, as the processor makes them. */
  demoCredentials(): Credentials<Name>
  /**
   * What the processor calls a demo's price, its `processorPrice` in the paywall file: always the same for the same `name`, such as
   * `monthly_usd`. `title` is what buyers read.
   */
  demoPrice(name: string, title: string): string
}

/** A number of some digits, as an id. */
const hashToNumber = (text: string) => Number.parseInt(hash('sha256', text).slice(0, 6), 16)

/** The emulators that run, by the names of their processors. */
export type Emulators = { [Name in ProcessorName]: Awaited<ReturnType<(typeof EMULATORS)[Name]['start']>> }

/** Starts an emulator for each processor, one after the other, in the stack that stops them. */
export async function startEmulators(
  optionsOf: (acquiring: ProcessorName) => LocalEmulatorOptions,
  started: AsyncDisposableStack,
): Promise<Emulators> {
  const running = []
  for (const acquiring of PROCESSOR_NAMES) {
    const emulator = await EMULATORS[acquiring].start(optionsOf(acquiring))
    running.push([acquiring, started.adopt<{ close(): Promise<void> }>(emulator, (part) => part.close())])
  }
  return Object.fromEntries(running) as Emulators
}

/**
 * An owner who sells upgrades has switched off *Restrict Single Subscription Per User*, where a product has it: see
 * docs/processors/freemius.md.
 */
export function allowSeveralSubscriptions({ freemius }: Emulators): void {
  freemius.manySubscriptions = true
}

/** An emulator over the accounts that the paywall files say, and what can happen there. */
function emulated<Seller, Emulator, Of>(
  start: (options: EmulatorOptions<Seller>) => Promise<Emulator>,
  accountsOf: (files: PaywallFile[], serviceUrl: () => string) => Seller[],
  acts: (emulator: Emulator, account: Of) => Acts,
) {
  return {
    start: ({ files, ...options }: LocalEmulatorOptions) =>
      start({ ...options, accounts: () => accountsOf(files(), options.serviceUrl) }),
    acts,
  }
}
