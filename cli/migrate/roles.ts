import { createHmac } from 'node:crypto'
import roles from '../../generated/roles.json' with { type: 'json' }

/** Owns tables and functions. Nobody can log in as it. */
export const OWNER_ROLE = 'paywall_owner'

/** A Worker's role and the functions that it may execute: generated from wrangler.toml and from what the Worker calls. */
export const ROLES: WorkerRole[] = roles

export interface WorkerRole {
  /** The Worker's env in wrangler.toml. */
  env: string
  role: string
  functions: string[]
}

/** The password of a role: it follows from one secret, 32 bytes in base64url, so that there is no list of them to keep. */
export function passwordOf(role: string, rolesKey: string): string {
  return derive(`password of ${role}`, rolesKey)
}

/** The address at which a Worker logs in as its own role. */
export function databaseUrlOf(env: string, adminUrl: string, rolesKey: string): string {
  const role = ROLES.find((each) => each.env === env)?.role
  if (role === undefined) throw new Error(`[env.${env}] of wrangler.toml has no database role: run npm run generate`)
  const url = new URL(adminUrl)
  url.username = role
  url.password = passwordOf(role, rolesKey)
  return url.href
}

/** What follows from the key for one purpose, and tells nothing about what follows for another. */
export function derive(purpose: string, rolesKey: string): string {
  return createHmac('sha256', Buffer.from(rolesKey, 'base64url')).update(purpose).digest('base64url')
}
