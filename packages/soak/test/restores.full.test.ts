import { findProgram, skipWithoutProgram } from "@tapeline/testing/programs"
import { globSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { rehearsePgliteRestore } from "../src/restores/pgliteRestore.ts"
import { rehearsePostgresRestore } from "../src/restores/postgresRestore.ts"
import type { RehearsalReport } from "../src/restores/rehearsal.ts"

const expectExact = ({ earlier, findings, later }: RehearsalReport) => {
  expect(findings).toEqual([])
  expect(earlier).toBeGreaterThan(50)
  expect(later).toBeGreaterThan(50)
}

const hasPostgres = globSync("/usr/lib/postgresql/*/bin/pg_verifybackup").length > 0 && findProgram("psql") !== null
const needsPostgres = skipWithoutProgram("PostgreSQL with its client programs: install postgresql", hasPostgres)
const needsPgBackRest = skipWithoutProgram("pgbackrest: install it", findProgram("pgbackrest") !== null)

describe("A restore under load", () => {
  it("of the embedded database contains exactly what was acknowledged before the moment", async () => {
    expectExact(await rehearsePgliteRestore())
  }, 90_000)

  describe("of PostgreSQL", needsPostgres, () => {
    it("by docs/backups.md contains exactly what was acknowledged before the moment", async () => {
      expectExact(await rehearsePostgresRestore("pg_basebackup"))
    }, 90_000)

    describe("with pgBackRest", needsPgBackRest, () => {
      it("by docs/backups.md contains exactly what was acknowledged before the moment", async () => {
        expectExact(await rehearsePostgresRestore("pgbackrest"))
      }, 90_000)
    })
  })
})
