// Installs the packages of package-lock.json unless they are installed. Plain Node 18 without packages: it runs before the first install.
import { spawnSync } from 'node:child_process'
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const LOCK_FILE = join(ROOT, 'package-lock.json')
/** Written by `npm ci`: the packages that it installed. */
const INSTALLED = join(ROOT, 'node_modules/.package-lock.json')
/** The lock file, which contains the pid of the installing process. It is outside node_modules, which `npm ci` empties. */
const INSTALL_LOCK = join(ROOT, '.local/installing')

if (!isInstalled()) await install()

function isInstalled() {
  const wanted = read(LOCK_FILE)?.packages
  const installed = read(INSTALLED)?.packages
  if (!wanted || !installed) return false
  return Object.entries(wanted).every(([path, { version, optional, devOptional, link }]) => {
    if (path === '' || link) return true
    // A missing optional package is for another platform.
    return installed[path] ? installed[path].version === version : Boolean(optional || devOptional)
  })
}

async function install() {
  while (!acquireLock()) await new Promise((resolve) => setTimeout(resolve, 200))
  try {
    // Another process may have installed while we waited for the lock.
    if (isInstalled()) return
    console.log('Installing packages (npm ci) …')
    const { status } = spawnSync(
      'npm',
      ['ci', '--include=dev', '--include=optional', '--no-audit', '--no-fund', '--loglevel=error'],
      {
        cwd: ROOT,
        stdio: ['ignore', 'inherit', 'inherit'],
        shell: process.platform === 'win32',
      },
    )
    process.exitCode = status ?? 1
  } finally {
    rmSync(INSTALL_LOCK, { force: true })
  }
}

function acquireLock() {
  const mine = `${INSTALL_LOCK}.${process.pid}`
  mkdirSync(join(ROOT, '.local'), { recursive: true })
  writeFileSync(mine, String(process.pid))
  try {
    linkSync(mine, INSTALL_LOCK) // atomic: the lock never exists without its content
    return true
  } catch (error) {
    if (error.code !== 'EEXIST') throw error
  } finally {
    rmSync(mine, { force: true })
  }
  if (!isAlive(Number(readText(INSTALL_LOCK)))) rmSync(INSTALL_LOCK, { force: true }) // its process was killed
  return false
}

function isAlive(pid) {
  if (!pid) return true // the lock has just been removed
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code === 'EPERM'
  }
}

function read(path) {
  const text = readText(path)
  return text && JSON.parse(text)
}

function readText(path) {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (error.code === 'ENOENT') return undefined
    throw error
  }
}
