import type { Applied } from './apply.ts'
import type { PaywallFile } from './paywall-file/file.ts'
import { type Versions, versionsOf } from './versions.ts'

/** Country lists longer than this are cut: they are there to recognise a tier by. */
const COUNTRIES_SHOWN = 8

/** Prints what changes, what is left alone, and the version of each paywall once the file is applied. */
export async function report(
  file: PaywallFile,
  { changes, leftAlone }: Pick<Applied, 'changes' | 'leftAlone'>,
  words: { nothing: string; heading: string },
): Promise<void> {
  if (changes.length === 0) console.log(words.nothing)
  else console.log([words.heading, ...changes.map((change) => `  ${change}`)].join('\n'))
  if (leftAlone.length > 0) console.log(`Not in the file, left as they are: paywall ${leftAlone.join(', ')}`)
  for (const paywall of file.paywalls) print(paywall.id, await versionsOf(paywall))
}

function print(paywallId: string, { common, others }: Versions): void {
  console.log(`Version of paywall ${paywallId}: ${common}`)
  for (const { version, countries } of others) console.log(`  in ${shortened(countries)}: ${version}`)
}

function shortened(countries: string[]): string {
  const more = countries.length - COUNTRIES_SHOWN
  return countries.slice(0, COUNTRIES_SHOWN).join(' ') + (more > 0 ? ` and ${more} more` : '')
}
