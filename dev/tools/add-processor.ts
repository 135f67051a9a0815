// Begins a new processor: npm run add-processor acme. Creates its adapter folder, its emulator, its driver of the conformance suite and its
// page from the stubs in dev/tools/add-processor/, and adds it to every list of processors. The result compiles. The tests that then fail
// show what to write: docs/recipes.md, "Add a processor".
import { execFileSync } from 'node:child_process'
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { PROCESSOR_NAMES } from '../../lib/processors/processor-name.ts'
import { EMULATORS } from '../emulators/emulators.ts'

const ROOT = join(import.meta.dirname, '../..')
const STUBS = join(import.meta.dirname, 'add-processor')

const [name = ''] = process.argv.slice(2)
const known: readonly string[] = PROCESSOR_NAMES
if (!/^[a-z]{2,30}$/.test(name) || known.includes(name)) {
  console.error(`usage: npm run add-processor NAME\nNAME: 2 to 30 lower-case letters, none of ${known.join(', ')}`)
  process.exit(1)
}
const title = `${name[0]?.toUpperCase()}${name.slice(1)}`

/** The stubs name their processor `acme`, `Acme` and `ACME`. */
const rename = (text: string) =>
  text.replaceAll('acme', name).replaceAll('Acme', title).replaceAll('ACME', name.toUpperCase())

const files = [...newFiles(), ...extendedLists()]
for (const { path, text } of files) {
  mkdirSync(dirname(join(ROOT, path)), { recursive: true })
  writeFileSync(join(ROOT, path), text)
}
const written = files.map(({ path }) => path)
const formatted = written.filter((path) => path.endsWith('.ts'))
execFileSync('biome', ['check', '--write', ...formatted], { cwd: ROOT, stdio: ['ignore', 'ignore', 'inherit'] })
console.log(`written:\n${written.map((file) => `  ${file}\n`).join('')}
next:
  npm run generate
  npx vitest run test/conventions test/processors/setup.test.ts test/conformance
What fails is what to write: docs/recipes.md, "Add a processor".`)

interface SourceFile {
  path: string
  text: string
}

function newFiles(): SourceFile[] {
  return globSync('**/*.txt', { cwd: STUBS }).map((stub) => {
    const path = rename(stub.replace(/\.txt$/, ''))
    if (existsSync(join(ROOT, path))) throw new Error(`${path} exists`)
    return { path, text: rename(readFileSync(join(STUBS, stub), 'utf8')) }
  })
}

function extendedLists(): SourceFile[] {
  const port = Math.max(...Object.values(EMULATORS).map((emulator) => emulator.port)) + 1
  const beforeTypes = /(?=import type)/
  const atEnd = /(?=\n\} satisfies)/
  return [
    extend('lib/processors/processor-name.ts', [/(?=\] as const)/, ", 'acme'"]),
    extend(
      'lib/processors/definitions.ts',
      [beforeTypes, "import { ACME } from './acme/definition.ts'\n"],
      [atEnd, '\n  acme: ACME,'],
    ),
    extend(
      'lib/processors/adapters.ts',
      [beforeTypes, "import { ACME } from './acme/definition.ts'\n"],
      [
        endPattern('ADAPTERS'),
        `
  acme: async (credentials, options) =>
    (await import('./acme/adapter.ts')).acmeAdapter(parseCredentials(ACME, credentials), options),`,
      ],
    ),
    extend(
      'dev/emulators/emulators.ts',
      [
        beforeTypes,
        `import * as acme from './acme/accounts.ts'
import { startAcmeEmulator } from './acme/emulator.ts'
`,
      ],
      [
        atEnd,
        `
  acme: {
    port: ${port},
    ...localEmulator(startAcmeEmulator, acme.listAccounts, byInvoice),
    demoCredentials: acme.demoCredentials,
    demoPrice: (name: string) => name,
    demoDiscount: (name: string) => name,
  },`,
      ],
    ),
    extend(
      'test/conformance/drivers/drivers.ts',
      [beforeTypes, "import { ACME } from './acme.ts'\n"],
      [endPattern('DRIVERS'), '\n  acme: ACME,'],
    ),
    extend(
      'test/conformance/drivers/page-languages.ts',
      [endPattern('AUSTRIAN_GERMAN'), '\n  acme: null,'],
      [endPattern('FIXED_LANGUAGE'), "\n  acme: ['fr', 'fr'],"],
    ),
    extend('test/conformance/drivers/plans.ts', [endPattern('UNMATCHED'), "\n  acme: ['team', 'firm'],"]),
    extend('test/processors/rest.test.ts', [endPattern('ERRORS'), '\n  acme: {},']),
    extend('test/scenarios/rebuy.test.ts', [/(?<=const FAILURES.*)(?= \}\n)/, ', acme: 0']),
    extend('test/scenarios/switch-plan.test.ts', [endPattern('EXPECTED'), '\n  acme: { charges: [], events: [] },']),
    extend('test/scenarios/chargeback.test.ts', [endPattern('OTHER_EVENTS'), '\n  acme: [[], []],']),
  ]
}

/** Matches the end of a constant that is an object. */
function endPattern(constant: string): RegExp {
  return new RegExp(`(?<=const ${constant}\\b[^]*?)(?=\\n\\}\\n)`)
}

/** Inserts texts, each at the first match of its pattern. */
function extend(path: string, ...insertions: [at: RegExp, text: string][]): SourceFile {
  let text = readFileSync(join(ROOT, path), 'utf8')
  for (const [at, insertion] of insertions) {
    if (!at.test(text)) throw new Error(`${path} has nothing like ${at}`)
    text = text.replace(at, () => rename(insertion))
  }
  return { path, text }
}
