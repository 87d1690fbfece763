import { createHash } from "node:crypto"
import type { Dirent } from "node:fs"
import { type FileHandle, open, readdir } from "node:fs/promises"
import { join } from "node:path"
import {
  type BackupDescription,
  type BackupEnd,
  databaseFolder,
  descriptionPath,
  endPath,
  fileNamePattern
} from "./format.ts"
import { archiveEnd, encodeHeader, paddingOf, type TarHeader } from "./tar.ts"

/** The end of an online backup, as `pg_backup_stop` returns it. */
export interface StoppedBackup {
  /** The content of the file `backup_label`, from which PostgreSQL knows where the recovery begins. */
  readonly label: string
  /** The first and the last file of the write-ahead log that the recovery reads. */
  readonly firstWalFile: string
  readonly lastWalFile: string
  readonly moment: string
}

export interface ArchiveSource {
  readonly dataDir: string
  readonly description: BackupDescription
  /** Ends the online backup, after all data files have been read. */
  readonly stop: () => Promise<StoppedBackup>
}

/** Folders whose files belong to the running database, and are not copied. The folders themselves are copied. */
const emptiedFolders: ReadonlySet<string> = new Set([
  "pg_dynshmem",
  "pg_notify",
  "pg_replslot",
  "pg_serial",
  "pg_snapshots",
  "pg_stat_tmp",
  "pg_subtrans",
  "pg_wal",
  "pg_wal/archive_status",
  "pg_wal/summaries"
])

const isCopied = (name: string): boolean =>
  fileNamePattern.test(name) &&
  !/^(pgsql_tmp.*|pg_internal\.init.*|postmaster\.(pid|opts)|backup_label.*|tablespace_map.*)$/u.test(name)

const controlFile = "global/pg_control"

const isMissing = (cause: unknown): boolean => cause instanceof Error && "code" in cause && cause.code === "ENOENT"

const listFolder = async (path: string): Promise<ReadonlyArray<Dirent>> => {
  try {
    return (await readdir(path, { withFileTypes: true })).toSorted((a, b) => a.name < b.name ? -1 : 1)
  } catch (cause) {
    // The database has deleted the folder since its parent was read.
    if (isMissing(cause)) return []
    throw cause
  }
}

/** Returns the folders and files to copy, relative to the data folder. */
async function* walk(dataDir: string, folder = ""): AsyncGenerator<Pick<TarHeader, "path" | "isFolder">> {
  for (const entry of await listFolder(join(dataDir, folder))) {
    if (!isCopied(entry.name)) continue
    const path = folder === "" ? entry.name : `${folder}/${entry.name}`
    if (entry.isDirectory()) {
      yield { path, isFolder: true }
      yield* walk(dataDir, path)
    } else if (!entry.isFile()) throw new Error(`${path} in the data folder is a link or a special file`)
    else if (!emptiedFolders.has(folder)) yield { path, isFolder: false }
  }
}

const chunkBytes = 262_144

/** Returns `size` bytes of a file. A file that became shorter is continued with zeros, which the recovery corrects. */
async function* readExactly(file: FileHandle, size: number): AsyncGenerator<Buffer> {
  for (let position = 0; position < size;) {
    const length = Math.min(chunkBytes, size - position)
    const chunk = Buffer.alloc(length)
    const { bytesRead } = await file.read(chunk, 0, length, position)
    yield bytesRead === 0 ? chunk : chunk.subarray(0, bytesRead)
    position += bytesRead === 0 ? length : bytesRead
  }
}

const openIfPresent = async (path: string): Promise<FileHandle | undefined> => {
  try {
    return await open(path, "r")
  } catch (cause) {
    if (isMissing(cause)) return undefined
    throw cause
  }
}

/** Returns the names of the log files from the first to the last one, and throws if one of them is missing. */
const listWalFiles = async (dataDir: string, { firstWalFile, lastWalFile }: StoppedBackup) => {
  const names = (await readdir(join(dataDir, "pg_wal")))
    .filter((name) => /^[0-9A-F]{24}$/u.test(name) && name >= firstWalFile && name <= lastWalFile)
    .toSorted()
  const numberOf = (name: string) => BigInt(`0x${name.slice(8)}`)
  const isComplete = names[0] === firstWalFile && names.at(-1) === lastWalFile &&
    names.every((name, i) => i === 0 || isNextSegment(numberOf(names[i - 1]!), numberOf(name)))
  if (!isComplete) throw new Error(`The write-ahead log lacks files between ${firstWalFile} and ${lastWalFile}`)
  return names
}

/** Names of log files have 32 bits for each 4 GB of the log, and 32 bits for the segment in these 4 GB. */
const isNextSegment = (previous: bigint, next: bigint): boolean =>
  next === previous + 1n || (next >> 32n === (previous >> 32n) + 1n && (next & 0xffffffffn) === 0n)

/**
 * Returns an uncompressed archive of a database that runs. The data files are read while the database changes them. The
 * write-ahead log from the start to the end of the backup repairs the copies when the restored database starts.
 */
export async function* writeArchive({ dataDir, description, stop }: ArchiveSource): AsyncGenerator<Buffer> {
  const hash = createHash("sha256")
  const now = Date.now()
  let [files, bytes] = [0, 0]
  const addToHash = (chunk: Buffer): Buffer => {
    hash.update(chunk)
    return chunk
  }
  const encode = (path: string, size: number, isFolder = false) =>
    addToHash(encodeHeader({ path, isFolder, bytes: size }, now))
  async function* writeText(path: string, text: string) {
    const content = Buffer.from(text)
    yield encode(path, content.length)
    yield addToHash(content)
    yield addToHash(paddingOf(content.length))
  }
  async function* writeFile(path: string) {
    const file = await openIfPresent(join(dataDir, path))
    if (file === undefined) return
    try {
      const { size } = await file.stat()
      yield encode(`${databaseFolder}/${path}`, size)
      for await (const chunk of readExactly(file, size)) yield addToHash(chunk)
      yield addToHash(paddingOf(size))
      files++
      bytes += size
    } finally {
      await file.close()
    }
  }

  yield* writeText(descriptionPath, JSON.stringify(description))
  yield encode(databaseFolder, 0, true)
  for await (const { isFolder, path } of walk(dataDir)) {
    if (isFolder) yield encode(`${databaseFolder}/${path}`, 0, true)
    else if (path !== controlFile) yield* writeFile(path)
  }
  // The control file is the last data file, as in `pg_basebackup`.
  yield* writeFile(controlFile)
  const stopped = await stop()
  for (const name of await listWalFiles(dataDir, stopped)) yield* writeFile(`pg_wal/${name}`)
  yield* writeText(`${databaseFolder}/backup_label`, stopped.label)
  const end: BackupEnd = { moment: stopped.moment, files, bytes, sha256: hash.digest("hex") }
  const content = Buffer.from(JSON.stringify(end))
  yield encodeHeader({ path: endPath, isFolder: false, bytes: content.length }, now)
  yield content
  yield paddingOf(content.length)
  yield archiveEnd
}
