import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { CommandError } from '../../../cli/command.ts'
import type { PostgresBinaries } from './binaries.ts'
import { freshFolder, isReachable, reachableStandIn, type ServerUser } from './server-user.ts'

/** A Postgres data directory with its superuser's password and its log, in a folder owned by the server user. */
export interface Cluster {
  data: string
  log: string
  password: string
}

/** Opens the cluster in `folder` and creates it on the first call. `durable: false` skips every fsync. */
export async function openCluster(
  folder: string,
  { binaries, user, durable }: { binaries: PostgresBinaries; user: ServerUser; durable: boolean },
): Promise<Cluster> {
  if (!isOurs(folder, user)) {
    throw new CommandError([
      `${folder} belongs to another user of this machine: run as that user, or delete the folder`,
    ])
  }
  if (!existsSync(join(folder, 'data'))) createClusterFolder(folder, user)
  const root = realpathSync(folder)
  const data = join(root, 'data')
  const passwordFile = join(root, 'password')
  if (!existsSync(data)) {
    writeFileSync(passwordFile, randomBytes(16).toString('hex'), { mode: 0o600 })
    if (user.uid !== undefined && user.gid !== undefined) chownSync(passwordFile, user.uid, user.gid)
    // Created under a temporary name, so that an interrupted initdb never looks like a complete cluster.
    await initdb(binaries, `${data}.new`, passwordFile, user, durable)
    renameSync(`${data}.new`, data)
  }
  return { data, log: join(root, 'log'), password: readFileSync(passwordFile, 'utf8') }
}

/** Deletes the cluster in `folder` with all its data. It must not be running. */
export function removeCluster(folder: string): void {
  const standIn = reachableStandIn(folder, 'data')
  if (isLink(folder)) rmSync(standIn, { recursive: true, force: true })
  rmSync(folder, { recursive: true, force: true })
}

/** Creates an empty folder that the server user can reach; behind a symlink if a parent folder denies access. */
function createClusterFolder(folder: string, user: ServerUser): void {
  mkdirSync(dirname(folder), { recursive: true })
  removeCluster(folder)
  if (user.uid === undefined || isReachable(dirname(resolve(folder)))) {
    freshFolder(folder, user)
  } else {
    const standIn = reachableStandIn(folder, 'data')
    freshFolder(standIn, user)
    symlinkSync(standIn, folder)
  }
}

function isOurs(folder: string, user: ServerUser): boolean {
  return !existsSync(folder) || statSync(folder).uid === (user.uid ?? process.getuid?.())
}

const isLink = (path: string) => lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true

async function initdb(
  binaries: PostgresBinaries,
  data: string,
  passwordFile: string,
  user: ServerUser,
  durable: boolean,
): Promise<void> {
  const options = [
    `--pgdata=${data}`,
    '--username=postgres',
    '--auth=scram-sha-256',
    `--pwfile=${passwordFile}`,
    '--encoding=UTF8',
    '--locale=C',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8', // as Neon's databases
    '--no-instructions',
    ...(durable ? [] : ['--no-sync', '--set', 'scram_iterations=1']), // a throwaway password, checked on every connection
  ]
  await promisify(execFile)(binaries.initdb, options, {
    ...user,
    cwd: '/',
    env: { PATH: process.env.PATH, LC_ALL: 'C' },
  })
}
