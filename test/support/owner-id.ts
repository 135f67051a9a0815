import type { TestWorld } from './world.ts'

/** The id of a paywall's owner. */
export async function readOwnerId(world: TestWorld, paywallId = world.paywall.id): Promise<string> {
  const { rows } = await world.database.query<{ owner_id: string }>('select owner_id from paywalls where id = $1', [
    paywallId,
  ])
  return rows[0]!.owner_id
}

/** The audience of access tokens that are valid on a test paywall. */
export const readAudience = async (world: TestWorld, paywallId?: string) =>
  `${await readOwnerId(world, paywallId)}:test`
