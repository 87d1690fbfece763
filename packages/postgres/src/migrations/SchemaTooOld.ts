import { Schema } from "effect"

/** The newest migration that the baseline replaces. This version upgrades only databases that ran it. */
export const oldestUpgradable = 18

/** The last commit that contains the migrations that the baseline replaced. */
const lastCommitBefore = "db477b05"

/** The database ran some of the migrations that the baseline replaced, but not all of them. */
export class SchemaTooOld extends Schema.TaggedError<SchemaTooOld>()("SchemaTooOld", {
  /** The number of the newest migration that the database ran. */
  latest: Schema.Int
}) {
  override get message(): string {
    return `its schema is at migration ${this.latest}, and this version needs ${oldestUpgradable} or later; ` +
      `start Tapeline at commit ${lastCommitBefore} once on this database, and then start this version`
  }
}
