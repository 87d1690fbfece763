import { findProgram, skipWithoutProgram } from "@tapeline/testing/programs"
import { globSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { failoverKinds, runFailover } from "../src/failover/failover.ts"
import { startPatroniPair } from "../src/failover/patroniPair.ts"
import { startPlainPair } from "../src/failover/plainPair.ts"

/** The time in ms from a promotion to the first call, which includes the reconnection of a busy machine. */
const maxResumeMs = 30_000

const isInstalled = (...programs: ReadonlyArray<string>) => programs.every((program) => findProgram(program) !== null)

const hasServers = globSync("/usr/lib/postgresql/*/bin/pg_rewind").length > 0
const needsServers = skipWithoutProgram("PostgreSQL with its server programs: install postgresql", hasServers)
const needsPatroni = skipWithoutProgram(
  "patroni, etcd and haproxy: install patroni, python3-etcd, etcd-server and haproxy",
  isInstalled("patroni", "etcd", "haproxy")
)

describe("A failover of PostgreSQL under load", needsServers, () => {
  it("loses no acknowledged call and charges no call twice, if an operator promotes the standby", async () => {
    const { findings, times } = await runFailover(startPlainPair, ["killed primary", "silent primary"])
    expect(findings).toEqual([])
    for (const { resumedMs } of Object.values(times)) expect(resumedMs).toBeLessThan(maxResumeMs)
  }, 600_000)

  describe("by Patroni, behind HAProxy", needsPatroni, () => {
    it("loses no acknowledged call and charges no call twice", async () => {
      const { findings, times } = await runFailover(startPatroniPair, failoverKinds)
      expect(findings).toEqual([])
      for (const { resumedMs } of Object.values(times)) expect(resumedMs).toBeLessThan(maxResumeMs)
    }, 900_000)
  })
})
