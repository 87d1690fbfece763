import { Schema } from "effect"

/**
 * The newest migration that the baseline replaces. The service can upgrade only databases that have run this migration.
 */
export const oldestUpgradable = 18

/** The last commit of the repository that contains the migrations before the baseline. */
const lastCommitBefore = "db477b05"

/** The database has run some of the migrations that the baseline replaced, but not all of them. */
export class SchemaTooOld extends Schema.TaggedError<SchemaTooOld>()("SchemaTooOld", {
  /** The number of the newest migration that the database has run. */
  latest: Schema.Int
}) {
  override get message(): string {
    return `its schema is at migration ${this.latest}, and this version needs ${oldestUpgradable} or later; ` +
      `start Tapeline at commit ${lastCommitBefore} once on this database, and then start this version`
  }
}
