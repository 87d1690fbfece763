import { findProgram, skipWithoutProgram } from "@tapeline/testing/programs"
import { globSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { rehearsePgliteRestore } from "../src/restores/pgliteRestore.ts"
import { rehearsePostgresRestore } from "../src/restores/postgresRestore.ts"

/** A rehearsal fails if too few calls are charged before or after the moment. */
const exact = { findings: [], earlier: expect.any(Number), later: expect.any(Number) }

const hasPostgres = globSync("/usr/lib/postgresql/*/bin/pg_verifybackup").length > 0 && findProgram("psql") !== null
const needsPostgres = skipWithoutProgram("PostgreSQL with its client programs: install postgresql", hasPostgres)
const needsPgBackRest = skipWithoutProgram("pgbackrest: install it", findProgram("pgbackrest") !== null)

describe("A restore under load", () => {
  it("of the embedded database contains exactly what was acknowledged before the moment", async () => {
    expect(await rehearsePgliteRestore()).toEqual(exact)
  }, 180_000)

  describe("of PostgreSQL", needsPostgres, () => {
    it("by docs/backups.md contains exactly what was acknowledged before the moment", async () => {
      expect(await rehearsePostgresRestore("pg_basebackup")).toEqual(exact)
    }, 180_000)

    describe("with pgBackRest", needsPgBackRest, () => {
      it("by docs/backups.md contains exactly what was acknowledged before the moment", async () => {
        expect(await rehearsePostgresRestore("pgbackrest")).toEqual(exact)
      }, 180_000)
    })
  })
})
