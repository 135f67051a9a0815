import type { TestWorld } from './world.ts'

/** Makes a paywall live or test. Bypasses the foreign keys that keep a paywall with members in its mode. */
export async function switchMode(world: TestWorld, paywallId: string, isTest: boolean): Promise<void> {
  await world.database.query(`
    set session_replication_role = replica;
    update paywalls set is_test = ${isTest} where id = '${paywallId}';
    reset session_replication_role`)
}
