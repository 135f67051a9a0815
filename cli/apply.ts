// `paywall plan FILE` and `paywall apply FILE`:
// 1. read the file, and refuse it if anything is wrong with it
// 2. compare it with the database; `apply` also writes what differs
// 3. print what changes, and the version that each paywall's bootstrap will have
// 4. `apply` also prints the secrets that it made: nobody can read them again later
import { readFile } from 'node:fs/promises'
import { allCountries } from '../lib/geo/countries.ts'
import { structureOf, versionOf } from '../lib/paywall/structure.ts'
import { type ApplyPlan, applyFile, planFile } from './apply/apply.ts'
import { CommandError, enterLocalWorld, pathArgument, required, sealingKeys } from './command.ts'
import { withDatabase } from './database.ts'
import { type FilePaywall, type PaywallFile, readPaywallFile } from './paywall-file/file.ts'

/** Country lists longer than this are cut: the first countries are enough to recognise a tier. */
const MAX_COUNTRIES = 8

export async function runPlan(args: string[]): Promise<void> {
  enterLocalWorld()
  const file = await readFileArgument(args)
  const sealing = sealingKeys()
  const plan = await withDatabase(required('DATABASE_URL'), (db) => planFile(db, file, sealing))
  await printPlan(file, plan, 'To change:')
}

export async function runApply(args: string[]): Promise<void> {
  enterLocalWorld()
  const file = await readFileArgument(args)
  const sealing = sealingKeys()
  const result = await withDatabase(required('DATABASE_URL'), (db) => applyFile(db, file, sealing))
  await printPlan(file, result, 'Changed:')
  for (const { what, secret } of result.newSecrets) {
    console.log(`\nThe secret of ${what}, shown this once:\n  ${secret}`)
  }
}

async function readFileArgument(args: string[]): Promise<PaywallFile> {
  const [path, ...rest] = args
  if (path === undefined) throw new CommandError(['which file? Give the path of a paywall file'])
  if (rest.length > 0) throw new CommandError([`one file at a time: ${rest.join(' ')} is too much`])
  const result = await readPaywallFile(await readText(path), process.env)
  if ('errors' in result) throw new CommandError(result.errors.map((error) => `${path}: ${error}`))
  return result.file
}

async function readText(path: string): Promise<string> {
  try {
    return await readFile(pathArgument(path), 'utf8')
  } catch (error) {
    if (!(error instanceof Error)) throw error
    const reason = 'code' in error && error.code === 'ENOENT' ? 'no such file' : error.message
    throw new CommandError([`${path} cannot be read: ${reason}`], { cause: error })
  }
}

async function printPlan(file: PaywallFile, { changes, otherPaywalls }: ApplyPlan, heading: string): Promise<void> {
  if (changes.length === 0) console.log('Nothing to change.')
  else console.log([heading, ...changes.map((change) => `  ${change}`)].join('\n'))
  if (otherPaywalls.length > 0) console.log(`Not in the file, left as they are: paywall ${otherPaywalls.join(', ')}`)
  for (const paywall of file.paywalls) await printVersions(paywall)
}

/** Local prices make the version differ between countries: the one that most countries see comes first. */
async function printVersions(paywall: FilePaywall): Promise<void> {
  const row = publicRowOf(paywall)
  const byPrices = Map.groupBy(allCountries(), (country) => JSON.stringify(structureOf(row, country).prices))
  const groups = [...byPrices.values()].toSorted((some, others) => others.length - some.length)
  for (const [index, countries] of groups.entries()) {
    const version = await versionOf(structureOf(row, countries[0]!))
    if (index === 0) console.log(`Version of paywall ${paywall.id}: ${version}`)
    else console.log(`  in ${shortList(countries)}: ${version}`)
  }
}

/** What bootstrap reads of a paywall, and nothing else. */
function publicRowOf({ id, name, settings, geo, offers, layout, locales, prices }: FilePaywall) {
  const publicPrices = prices.map(
    ({ paywall_id: _id, processor_price: _processorPrice, tokens: _tokens, ...price }) => price,
  )
  return { id, name, settings, geo, offers, layout, locales, prices: publicPrices }
}

function shortList(countries: string[]): string {
  const more = countries.length - MAX_COUNTRIES
  return countries.slice(0, MAX_COUNTRIES).join(' ') + (more > 0 ? ` and ${more} more` : '')
}
