import { setTimeout as sleep } from "node:timers/promises"
import type { ConnectionProxy } from "./connectionProxy.ts"
import type { TestDatabase } from "./database.ts"
import type { TestDisk } from "./disk.ts"
import type { ServiceNode } from "./node.ts"
import type { RandomSource } from "./randomStream.ts"

/**
 * The nodes, the disk and the database server that a fault can affect. `server` is null if the service uses the
 * embedded database.
 */
export interface FaultTargets {
  readonly nodes: ReadonlyArray<ServiceNode>
  readonly disk: TestDisk
  readonly server: { readonly database: TestDatabase; readonly connection: ConnectionProxy } | null
  readonly maxDurationMs: number
}

/** A temporary fault. `inject` causes the fault, and later restarts everything that the fault has stopped. */
export interface Fault {
  readonly name: string
  readonly inject: (random: RandomSource) => Promise<string>
}

/** The maximum time in ms in which a process of the service must start, even on a loaded machine. */
export const startTimeoutMs = 60_000

const killNode = ({ nodes }: FaultTargets): Fault => ({
  name: "kill",
  inject: async (random) => {
    const node = random.pick(nodes)
    await node.kill()
    await sleep(random.integer(0, 500))
    await node.start(startTimeoutMs)
    return node.name
  }
})

const freezeNode = ({ maxDurationMs, nodes }: FaultTargets): Fault => ({
  name: "freeze",
  inject: async (random) => {
    const node = random.pick(nodes)
    const ms = Math.min(maxDurationMs, random.pick([100, 1_000, 4_000, 8_000]))
    node.signal("SIGSTOP")
    await sleep(ms)
    node.signal("SIGCONT")
    return `${node.name} for ${ms} ms`
  }
})

const restartDeadNodes = async (nodes: ReadonlyArray<ServiceNode>): Promise<string> => {
  const deadNodes = nodes.filter((node) => !node.isRunning())
  for (const node of deadNodes) {
    await node.kill()
    await node.start(startTimeoutMs)
  }
  return deadNodes.length === 0 ? "" : `; restarted: ${deadNodes.map(({ name }) => name).join(", ")}`
}

const fillDisk = (fill: () => void, { disk, maxDurationMs, nodes, server }: FaultTargets): Fault => ({
  name: "full disk",
  inject: async (random) => {
    const ms = Math.min(maxDurationMs, random.integer(200, 3_000))
    try {
      fill()
      await sleep(ms)
    } finally {
      disk.freeSpace()
    }
    server?.database.start()
    return `for ${ms} ms${await restartDeadNodes(nodes)}`
  }
})

const cutIntervalMs = 400

const cutConnections = (connection: ConnectionProxy, maxDurationMs: number): Fault => ({
  name: "cut connections",
  inject: async (random) => {
    const cutRounds = Math.min(Math.ceil(maxDurationMs / cutIntervalMs), random.integer(1, 8))
    let cutCount = 0
    for (let i = 0; i < cutRounds; i++) {
      cutCount += connection.cutConnections(() => random.chance(0.5))
      await sleep(cutIntervalMs)
    }
    return `${cutCount} in ${cutRounds} rounds`
  }
})

const freezeDatabase = (database: TestDatabase, maxDurationMs: number): Fault => ({
  name: "freeze database",
  inject: async (random) => {
    const ms = Math.min(maxDurationMs, random.pick([200, 1_500, 12_000]))
    database.freeze()
    try {
      await sleep(ms)
    } finally {
      database.unfreeze()
    }
    return `for ${ms} ms`
  }
})

const crashDatabase = (database: TestDatabase): Fault => ({
  name: "crash database",
  inject: async (random) => {
    database.crash()
    await sleep(random.integer(0, 1_000))
    database.start()
    return ""
  }
})

export const possibleFaults = (targets: FaultTargets): ReadonlyArray<Fault> => [
  killNode(targets),
  freezeNode(targets),
  ...(targets.disk.fill === null ? [] : [fillDisk(targets.disk.fill, targets)]),
  ...(targets.server === null ? [] : [
    cutConnections(targets.server.connection, targets.maxDurationMs),
    freezeDatabase(targets.server.database, targets.maxDurationMs),
    crashDatabase(targets.server.database)
  ])
]
