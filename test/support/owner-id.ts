import type { TestWorld } from './world.ts'

/** The id of the owner of a paywall. */
export async function ownerIdOf(world: TestWorld, paywallId = world.paywall.id): Promise<string> {
  const { rows } = await world.database.query<{ owner_id: string }>('select owner_id from paywalls where id = $1', [
    paywallId,
  ])
  return rows[0]!.owner_id
}

/** For whom access tokens are that are good on a test paywall. */
export const audienceOf = async (world: TestWorld, paywallId?: string) => `${await ownerIdOf(world, paywallId)}:test`
