/**
 * Measures the memory of a process at rest, with idle connections and under load. The bench compares the embedded
 * database, PostgreSQL and a bare `node:http`. `node src/rest.ts` runs the bench; `--minutes 2` shortens the load, and
 * `--quick` the complete run.
 */
import { loadavg } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { createKeys } from "./load/setup.ts"
import { runConditions, table, writeSection } from "./report.ts"
import { folderSizeMb } from "./rest/folderSize.ts"
import { openIdleConnections } from "./rest/idleConnections.ts"
import type { MeasuredServer, Memory } from "./rest/measuredServer.ts"
import { sleep, startBareServer, startTapeline, withTemporaryResources } from "./rest/startServers.ts"
import { loadWithMix } from "./rest/toolMix.ts"

const { values } = parseArgs({
  options: { quick: { type: "boolean", default: false }, minutes: { type: "string", default: "10" } }
})
const { quick: isQuick } = values
const minutes = isQuick ? 1 : Number(values.minutes)
if (!Number.isInteger(minutes) || minutes < 1) throw new Error("--minutes takes a whole number from 1")
const idleConnections = 3_000
const loadConnections = 32
const loadBefore = loadavg()[0]!.toFixed(1)
/**
 * The waiting time in ms before memory is measured. Memory use needs time to settle after a start and after new
 * connections.
 */
const settleMs = isQuick ? 5_000 : 30_000

const createKey = async (address: string): Promise<string> => (await createKeys(address, 1))[0]!

interface MemoryResult {
  readonly name: string
  readonly atRest: Memory
  readonly withIdleConnections: Memory
  readonly minutes: ReadonlyArray<Memory>
  readonly calls: number
  readonly folderBefore: number | null
  readonly folderAfter: number | null
}

const measureMemory = async (
  name: string,
  started: MeasuredServer,
  key: string,
  minutes: number,
  dataDir?: string
): Promise<MemoryResult> => {
  const readFolderMb = () => dataDir === undefined ? null : folderSizeMb(join(dataDir, "db"))
  const printMemory = (phase: string, { external, heapTotal, heapUsed, peak, rss }: Memory) =>
    console.log(
      `${name}, ${phase}: rss ${rss.toFixed(0)}, peak ${peak.toFixed(0)}, heap ${heapUsed.toFixed(0)} of ` +
        `${heapTotal.toFixed(0)}, external ${external.toFixed(0)} MB, folder ${readFolderMb()?.toFixed(0) ?? "none"}`
    )
  await sleep(settleMs)
  const atRest = await started.memory()
  printMemory("at rest", atRest)
  const sockets = await openIdleConnections(started.address, idleConnections)
  await sleep(settleMs)
  const withIdleConnections = await started.memory()
  printMemory(`with ${idleConnections} idle connections`, withIdleConnections)
  for (const socket of sockets) socket.destroy()
  const folderBefore = readFolderMb()
  const memories: Array<Memory> = []
  let calls = 0
  for (let minute = 1; minute <= minutes; minute++) {
    const { answeredCount, rejection } = await loadWithMix({
      address: started.address,
      key,
      connections: loadConnections,
      seconds: 60
    })
    if (rejection !== undefined) throw new Error(`${name}: a call was rejected: ${rejection}`)
    calls += answeredCount
    memories.push(await started.memory())
    printMemory(`minute ${minute}, ${answeredCount} calls`, memories.at(-1)!)
  }
  await started.stop()
  return { name, atRest, withIdleConnections, minutes: memories, calls, folderBefore, folderAfter: readFolderMb() }
}

const subjects = await withTemporaryResources(async ({ newDatabase, newFolder }) => {
  const embeddedDir = newFolder()
  const embedded = await startTapeline(embeddedDir)
  const onPostgres = await startTapeline(newFolder(), await newDatabase())
  // The two services run at the same time, because the bench measures memory and not speed.
  const served = await Promise.all([
    measureMemory("embedded", embedded, await createKey(embedded.address), minutes, embeddedDir),
    measureMemory("on PostgreSQL", onPostgres, await createKey(onPostgres.address), minutes)
  ])
  return [...served, await measureMemory("`node:http`, bare", await startBareServer(), "none", 1)]
})

const formatMemory = ({ external, heapUsed, rss }: Memory): string =>
  `${rss.toFixed(0)} (${heapUsed.toFixed(0)} + ${external.toFixed(0)})`
const memoryTable = table(
  [
    "process",
    "at rest",
    `with ${idleConnections.toLocaleString("en-US")} idle connections`,
    "kB a connection",
    "under load, minute 1",
    `minute ${minutes}`,
    "calls a second",
    "peak"
  ],
  subjects.map(({ calls, withIdleConnections, minutes: all, name, atRest }) => [
    name,
    formatMemory(atRest),
    formatMemory(withIdleConnections),
    ((1000 * Math.max(0, withIdleConnections.rss - atRest.rss)) / idleConnections).toFixed(1),
    formatMemory(all[0]!),
    all.length === 1 && minutes > 1 ? "" : formatMemory(all.at(-1)!),
    (calls / (60 * all.length)).toFixed(0),
    all.at(-1)!.peak.toFixed(0)
  ])
)
const [first] = subjects
const kbPerCall = (1000 * (first!.folderAfter! - first!.folderBefore!)) / first!.calls
const section = `## Memory

${runConditions(new Date())}, load average before the run ${loadBefore}. Memory in
MB: the whole process, and in parentheses for its serving thread the used heap + the memory outside of the heap, which
includes the embedded database. Memory is measured ${
  settleMs / 1000
} s after the start, or after the connections were opened. The
load is five tools over forty coins on ${loadConnections} connections for each service, by autocannon, with both
services at the same time.

${memoryTable}

The folder of the embedded database: ${first!.folderBefore!.toFixed(0)} MB before the load, ${
  first!.folderAfter!.toFixed(0)
} MB after ${first!.calls.toLocaleString("en-US")} calls, ${kbPerCall.toFixed(2)} kB a call. The size includes
the write-ahead log, which grows to at most 64 MB.
`
console.log(section)
if (!isQuick) writeSection("rest", section)
