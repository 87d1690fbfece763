import { setTimeout as sleep } from "node:timers/promises"
import type { Database } from "./database.ts"
import type { Disk } from "./disk.ts"
import type { Draw } from "./draw.ts"
import type { ServiceNode } from "./node.ts"
import type { Wire } from "./wire.ts"

/** The parts that faults affect. The embedded database has no server and no network. */
export interface World {
  readonly nodes: ReadonlyArray<ServiceNode>
  readonly disk: Disk
  readonly server: { readonly database: Database; readonly wire: Wire } | null
  /** The maximum duration of a fault. */
  readonly longestMs: number
}

/** A fault of limited duration. Afterwards it restarts what it stopped. */
export interface Fault {
  readonly name: string
  readonly strike: (draw: Draw) => Promise<string>
}

/** A process of the service starts within this time, also on a machine under load. */
export const startWithinMs = 60_000

const killNode = ({ nodes }: World): Fault => ({
  name: "kill",
  strike: async (draw) => {
    const node = draw.oneOf(nodes)
    await node.kill()
    await sleep(draw.integer(0, 500))
    await node.start(startWithinMs)
    return node.name
  }
})

const freezeNode = ({ longestMs, nodes }: World): Fault => ({
  name: "freeze",
  strike: async (draw) => {
    const node = draw.oneOf(nodes)
    const ms = Math.min(longestMs, draw.oneOf([100, 1_000, 4_000, 8_000]))
    node.signal("SIGSTOP")
    await sleep(ms)
    node.signal("SIGCONT")
    return `${node.name} for ${ms} ms`
  }
})

/** A full disk can end a process. Its operator restarts it when there is space again. */
const restart = async (nodes: ReadonlyArray<ServiceNode>): Promise<string> => {
  const dead = nodes.filter((node) => !node.runs())
  for (const node of dead) {
    await node.kill()
    await node.start(startWithinMs)
  }
  return dead.length === 0 ? "" : `; started again: ${dead.map(({ name }) => name).join(", ")}`
}

const fillDisk = (fill: () => void, { disk, longestMs, nodes, server }: World): Fault => ({
  name: "full disk",
  strike: async (draw) => {
    const ms = Math.min(longestMs, draw.integer(200, 3_000))
    try {
      fill()
      await sleep(ms)
    } finally {
      disk.free()
    }
    server?.database.start()
    return `for ${ms} ms${await restart(nodes)}`
  }
})

const cutEveryMs = 400

const cutWire = (wire: Wire, longestMs: number): Fault => ({
  name: "cut connections",
  strike: async (draw) => {
    const times = Math.min(Math.ceil(longestMs / cutEveryMs), draw.integer(1, 8))
    let cut = 0
    for (let i = 0; i < times; i++) {
      cut += wire.cut(() => draw.chance(0.5))
      await sleep(cutEveryMs)
    }
    return `${cut} in ${times} times`
  }
})

const freezeDatabase = (database: Database, longestMs: number): Fault => ({
  name: "freeze database",
  strike: async (draw) => {
    const ms = Math.min(longestMs, draw.oneOf([200, 1_500, 12_000]))
    database.freeze()
    try {
      await sleep(ms)
    } finally {
      database.thaw()
    }
    return `for ${ms} ms`
  }
})

const crashDatabase = (database: Database): Fault => ({
  name: "crash database",
  strike: async (draw) => {
    database.crash()
    await sleep(draw.integer(0, 1_000))
    database.start()
    return ""
  }
})

/** Returns all faults that are possible in this world. */
export const faultsOf = (world: World): ReadonlyArray<Fault> => [
  killNode(world),
  freezeNode(world),
  ...(world.disk.fill === null ? [] : [fillDisk(world.disk.fill, world)]),
  ...(world.server === null ? [] : [
    cutWire(world.server.wire, world.longestMs),
    freezeDatabase(world.server.database, world.longestMs),
    crashDatabase(world.server.database)
  ])
]
