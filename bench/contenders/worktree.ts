import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as z from 'zod'
import { git, ROOT } from './git.ts'

/** Another commit of this repository in a separate folder, with its packages installed. */
export interface Worktree extends Disposable {
  root: string
  /** The short hash. */
  commit: string
}

const Lock = z.object({ packages: z.record(z.string(), z.looseObject({ version: z.string().optional() })) })

/** Checks out `ref` and installs its packages; disposal deletes the folder. Throws for an unknown ref. */
export async function openWorktree(ref: string): Promise<Worktree> {
  const commit = git('rev-parse', '--short=7', '--verify', `${ref}^{commit}`)
  const folder = mkdtempSync(join(tmpdir(), 'paywall-bench-tree-'))
  const root = join(folder, commit)
  const remove = () => {
    process.removeListener('exit', remove)
    git('worktree', 'remove', '--force', root)
    rmSync(folder, { recursive: true, force: true })
  }
  git('worktree', 'add', '--detach', root, commit)
  process.once('exit', remove) // on any exit
  try {
    if (await hasSamePackages(commit)) symlinkSync(join(ROOT, 'node_modules'), join(root, 'node_modules'))
    else execFileSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] })
  } catch (error) {
    remove()
    throw error
  }
  return { root, commit, [Symbol.dispose]: remove }
}

/** Whether this tree has all packages of that commit in the same versions, so that it can share `node_modules`. */
async function hasSamePackages(commit: string): Promise<boolean> {
  const theirs = Lock.parse(JSON.parse(git('show', `${commit}:package-lock.json`))).packages
  const ours = Lock.parse(JSON.parse(await readFile(join(ROOT, 'package-lock.json'), 'utf8'))).packages
  return Object.entries(theirs).every(([path, { version }]) => path === '' || ours[path]?.version === version)
}
