// `paywall plan FILE` and `paywall apply FILE`:
// 1. read and validate the file, and ask the processors whether their discounts match its offers
// 2. compare it with the database
// 3. `apply` asks for confirmation of destructive changes, and writes what differs
// 4. print the changes, and the version that each paywall's bootstrap will have
// 5. `apply` also has the local world serve the file, and prints the secrets that it generated: they cannot be read again later
import { type ApplyPlan, type ApplyResult, applyFile, planFile } from './apply/apply.ts'
import { type Change, changeJson } from './apply/changes.ts'
import { changesText, changeText, warningText } from './apply/changes-text.ts'
import { checkProcessorDiscounts } from './apply/processor-discounts.ts'
import { computeVersions, type Version, versionText } from './apply/versions.ts'
import { CommandError, type CommandResult, required, type SealingKeys, sealingKeys } from './command.ts'
import { confirm } from './confirm.ts'
import { type Database, withDatabase } from './database.ts'
import { readTextFile } from './file-argument.ts'
import { enterLocalWorld, reloadLocalWorld } from './local-world.ts'
import { type PaywallFile, readPaywallFile } from './paywall-file/file.ts'
import { isLocalHost, malformedOrigin } from './paywall-file/service-hosts.ts'

export async function runPlan(path: string): Promise<CommandResult> {
  enterLocalWorld()
  const file = await readFile(path)
  const sealing = sealingKeys()
  const unchecked = await checkDiscounts(file)
  const plan = await withDatabase(required('DATABASE_URL'), (db) => planFile(db, file, sealing))
  const warnings = [...plan.warnings, ...unchecked]
  return toResult({ ...plan, warnings }, await computeVersions(file), { isDone: false })
}

export async function runApply(path: string, { yes }: { yes?: true | undefined }): Promise<CommandResult> {
  enterLocalWorld()
  const file = await readFile(path)
  const sealing = sealingKeys()
  const unchecked = await checkDiscounts(file)
  const result = await withDatabase(required('DATABASE_URL'), (db) =>
    yes ? applyFile(db, file, sealing) : applyConfirmed(db, file, sealing),
  )
  const warnings = [...result.warnings, ...unchecked]
  const { text, json } = toResult({ ...result, warnings }, await computeVersions(file), { isDone: true })
  const ids = file.paywalls.map(({ id }) => id)
  const served = await reloadLocalWorld(required('DATABASE_URL'), ids)
  const secrets = result.newSecrets.map(
    ({ what, secret }) => `\n\nThe secret of ${what}, shown only once:\n  ${secret}`,
  )
  return {
    text: [text, ...(served === null ? [] : [`\n${served}`]), ...secrets].join(''),
    json: { ...json, new_secrets: result.newSecrets },
  }
}

/**
 * Refuses offers whose discount at the processor differs from the file's. Returns warnings of those that could not be checked. The
 * emulators of a local world learn the discounts from the file, so they are not asked unless PROCESSOR_API_BASES has their addresses.
 */
async function checkDiscounts(file: PaywallFile): Promise<string[]> {
  const bases = process.env.PROCESSOR_API_BASES ?? ''
  if (bases === '' && isLocalHost(URL.parse(required('DATABASE_URL'))?.hostname ?? '')) return []
  const { errors, warnings } = await checkProcessorDiscounts(file, bases)
  if (errors.length > 0) throw new CommandError(errors)
  return warnings
}

/** Applies the file once the operator has confirmed its destructive changes. Throws a `CommandError` otherwise. */
async function applyConfirmed(db: Database, file: PaywallFile, sealing: SealingKeys): Promise<ApplyResult> {
  const { changes, warnings } = await planFile(db, file, sealing)
  const destructive = changes.filter(({ impact }) => impact !== null)
  if (destructive.length > 0) await confirmDestructive(changes, warnings, destructive)
  const confirmed = destructive.map(changeKey)
  return applyFile(db, file, sealing, (now) => {
    const others = now.filter((change) => change.impact && !confirmed.includes(changeKey(change)))
    if (others.length === 0) return
    const advice = 'these changes are new since you confirmed. Nothing was changed: try again'
    throw new CommandError([...others.map(changeText), advice])
  })
}

/** Identifies a confirmed change. The number of subscribers is left out: it may differ a moment later. */
const changeKey = ({ what, how, fields }: Change) => JSON.stringify([what, how, fields])

async function confirmDestructive(changes: Change[], warnings: string[], destructive: Change[]): Promise<void> {
  const { stdin: input, stderr: output } = process
  if (!input.isTTY || !output.isTTY) {
    const advice = 'nothing was changed: without a terminal, destructive changes need --yes'
    throw new CommandError([...destructive.map(changeText), advice])
  }
  output.write(`${[changesText(changes, { isDone: false }), ...warnings.map(warningText)].join('\n')}\n`)
  if (!(await confirm('Existing purchases stay as they are. Continue?', { input, output }))) {
    throw new CommandError(['nothing was changed'])
  }
}

async function readFile(path: string): Promise<PaywallFile> {
  checkServiceOrigin()
  const result = await readPaywallFile(await readTextFile(path), process.env)
  if ('errors' in result) throw new CommandError(result.errors.map((error) => `${path}: ${error}`))
  return result.file
}

/** SERVICE_ORIGIN is needed to refuse the service's own hosts in the file. A database on this machine may have no service yet. */
function checkServiceOrigin(): void {
  if (!isLocalHost(URL.parse(required('DATABASE_URL'))?.hostname ?? '')) required('SERVICE_ORIGIN')
  const malformed = malformedOrigin(process.env)
  if (malformed) throw new CommandError([`${malformed} must be an origin, such as https://billing.example`])
}

function toResult(
  { changes, warnings, otherPaywalls }: ApplyPlan,
  versions: Version[],
  how: { isDone: boolean },
): CommandResult {
  const others =
    otherPaywalls.length > 0 ? [`Not in the file and left unchanged: paywall ${otherPaywalls.join(', ')}`] : []
  return {
    text: [changesText(changes, how), ...warnings.map(warningText), ...others, ...versions.map(versionText)].join('\n'),
    json: { changes: changes.map(changeJson), warnings, other_paywalls: otherPaywalls, versions },
  }
}
