import { deployedFile } from "@tapeline/testing/deployedFile"
import { findFreePort, findInstalledBin } from "@tapeline/testing/postgresServer"
import { findProgram } from "@tapeline/testing/programs"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { listProcessIds, makeQuery, signalProcesses } from "../database.ts"
import {
  type DatabasePair,
  databaseUser,
  makeServerFolder,
  type Service,
  startService,
  waitUntil
} from "./DatabasePair.ts"

/** A PostgreSQL server and its Patroni. */
interface Machine {
  readonly name: string
  readonly port: number
  readonly restPort: number
  readonly dataDir: string
  readonly start: () => void
  readonly processIds: () => ReadonlyArray<number>
  readonly output: () => string
}

const makeMachine = async (folder: string, name: string, etcd: string): Promise<Machine> => {
  const [port, restPort] = [await findFreePort(), await findFreePort()]
  const dataDir = join(folder, name)
  const file = join(folder, `${name}.yml`)
  writeFileSync(
    file,
    deployedFile("patroni.yml", [
      ["name: pg-1", `name: ${name}`],
      ["10.0.0.21:8008", `127.0.0.1:${restPort}`],
      ["10.0.0.21:5432", `127.0.0.1:${port}`],
      ["10.0.0.21:2379,10.0.0.22:2379,10.0.0.23:2379", etcd],
      ["10.0.0.0/24", "127.0.0.1/32"],
      ["/usr/lib/postgresql/15/bin", findInstalledBin()!],
      ["/var/lib/postgresql/15/tapeline", dataDir],
      ["shared_buffers: 1GB", `shared_buffers: 32MB\n    unix_socket_directories: ${folder}`]
    ])
  )
  let patroni: Service | null = null
  return {
    name,
    port,
    restPort,
    dataDir,
    start: () => {
      patroni = startService(findProgram("patroni")!, [file], { ...databaseUser, cwd: folder })
    },
    processIds: () => [
      ...(patroni === null ? [] : [patroni.pid]),
      ...listProcessIds(dataDir)
    ],
    output: () => patroni?.output() ?? ""
  }
}

interface Member {
  readonly name: string
  readonly role: string
  readonly state: string
}

const request = (port: number, path: string): Promise<Response> =>
  fetch(`http://127.0.0.1:${port}${path}`, { signal: AbortSignal.timeout(1_000) })

const findMember = async ({ name, restPort }: Machine): Promise<Member | undefined> => {
  const response = await request(restPort, "/cluster")
  // Patroni documents this response.
  const { members } = await response.json() as { readonly members: ReadonlyArray<Member> }
  return members.find((member) => member.name === name)
}

const isPrimary = async ({ restPort }: Machine): Promise<boolean> =>
  (await request(restPort, "/primary")).status === 200

const isSynchronousStandby = async (machine: Machine): Promise<boolean> => {
  const member = await findMember(machine)
  return member?.role === "sync_standby" && ["running", "streaming"].includes(member.state)
}

/** The time limit of a start, a promotion or a return in ms, which is long enough for a busy machine. */
const timeoutMs = 180_000

const startEtcd = async (folder: string): Promise<{ readonly etcd: Service; readonly address: string }> => {
  const [port, peerPort] = [await findFreePort(), await findFreePort()]
  const [client, peer] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${peerPort}`]
  const etcd = startService(findProgram("etcd")!, [
    "--name=etcd",
    "--enable-v2",
    `--data-dir=${join(folder, "etcd")}`,
    `--listen-client-urls=${client}`,
    `--advertise-client-urls=${client}`,
    `--listen-peer-urls=${peer}`,
    `--initial-advertise-peer-urls=${peer}`,
    `--initial-cluster=etcd=${peer}`
  ], { cwd: folder })
  await waitUntil("etcd", timeoutMs, async () => (await request(port, "/health")).ok).catch(async (cause) => {
    await etcd.kill()
    throw new Error(etcd.output(), { cause })
  })
  return { etcd, address: `127.0.0.1:${port}` }
}

const startHaproxy = async (folder: string, [first, second]: readonly [Machine, Machine]) => {
  const port = await findFreePort()
  const file = join(folder, "haproxy.cfg")
  writeFileSync(
    file,
    deployedFile("haproxy-postgres.cfg", [
      // The test may run without the right to change the user.
      ["  user haproxy\n  group haproxy\n", ""],
      ["bind 127.0.0.1:5432", `bind 127.0.0.1:${port}`],
      [" port 8008", ""],
      ["server pg-1 10.0.0.21:5432", `server pg-1 127.0.0.1:${first.port} port ${first.restPort}`],
      ["server pg-2 10.0.0.22:5432", `server pg-2 127.0.0.1:${second.port} port ${second.restPort}`]
    ])
  )
  return { haproxy: startService(findProgram("haproxy")!, ["-db", "-f", file], { cwd: folder }), port }
}

/**
 * Starts two PostgreSQL servers with the files of the folder `deploy`. Patroni promotes the standby, and HAProxy
 * forwards connections to the primary.
 */
export const startPatroniPair = async (parent: string): Promise<DatabasePair> => {
  const folder = makeServerFolder(join(parent, "patroni"))
  const { address, etcd } = await startEtcd(parent)
  const machines = [await makeMachine(folder, "pg-1", address), await makeMachine(folder, "pg-2", address)] as const
  let [primary, standby] = machines
  let lost: { readonly machine: Machine; readonly frozenIds: ReadonlyArray<number> } | null = null
  const lose = (machine: Machine, signal: "SIGKILL" | "SIGSTOP") => {
    const ids = machine.processIds()
    signalProcesses(ids, signal)
    lost = { machine, frozenIds: signal === "SIGSTOP" ? ids : [] }
  }
  const { haproxy, port } = await startHaproxy(folder, machines)
  const url = `postgres://postgres:CHANGE-POSTGRES@127.0.0.1:${port}/postgres`
  const wait = (what: string, check: () => Promise<boolean>) =>
    waitUntil(what, timeoutMs, check).catch((cause) => {
      throw new Error(machines.map(({ output }) => output()).join("\n"), { cause })
    })
  const stop = async () => {
    for (const machine of machines) signalProcesses(machine.processIds(), "SIGKILL")
    await Promise.all([haproxy.kill(), etcd.kill()])
  }
  try {
    primary.start()
    await wait("the first primary", () => isPrimary(primary))
    standby.start()
    await wait("the first standby", () => isSynchronousStandby(standby))
    await wait("HAProxy", async () => (await makeQuery(() => url)("select 1")).length === 1)
  } catch (cause) {
    await stop()
    throw cause
  }
  return {
    url,
    query: makeQuery(() => url),
    killPrimary: () => lose(primary, "SIGKILL"),
    freezePrimary: () => lose(primary, "SIGSTOP"),
    freezeStandby: () => lose(standby, "SIGSTOP"),
    awaitPromotion: async () => {
      await wait("the promotion", () => isPrimary(standby))
      ;[primary, standby] = [standby, primary]
    },
    restoreLost: async () => {
      if (lost === null) return
      const { frozenIds, machine } = lost
      if (frozenIds.length === 0) machine.start()
      else signalProcesses(frozenIds, "SIGCONT")
      lost = null
      await wait("the return of the lost server", () => isSynchronousStandby(machine))
    },
    stop
  }
}
