import { assert, describe, it } from "@effect/vitest"
import { skipUnless } from "@tapeline/testing/programs"
import { Effect } from "effect"
import { spawnSync } from "node:child_process"
import { chmodSync, chownSync, existsSync, mkdirSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { compileCacheFolder, enableCache, findCompileCacheProblem } from "../src/compileCache.ts"
import { temporaryFolder } from "./support/process.ts"

const folderIn = (above: string, mode = 0o700): string => {
  const folder = join(above, "compiled")
  mkdirSync(folder)
  chmodSync(folder, mode)
  return folder
}

describe("The folder of the compile cache", skipUnless("a system with user ids", process.getuid !== undefined), () => {
  it.live("is used if only its owner can write to it", () =>
    Effect.gen(function*() {
      assert.isUndefined(findCompileCacheProblem(folderIn(yield* temporaryFolder)))
    }))

  it.live("is not used if others can write to it or to a parent folder", () =>
    Effect.gen(function*() {
      assert.include(findCompileCacheProblem(folderIn(yield* temporaryFolder, 0o770)), "other users may write")
      assert.include(findCompileCacheProblem(folderIn(yield* temporaryFolder, 0o707)), "other users may write")
      const above = yield* temporaryFolder
      const folder = folderIn(above)
      chmodSync(above, 0o777)
      assert.strictEqual(findCompileCacheProblem(folder), `other users may write to ${above}`)
      // In a folder with the permissions of /tmp, only the owner of an entry can replace it.
      chmodSync(above, 0o1777)
      assert.isUndefined(findCompileCacheProblem(folder))
    }))

  it.live("is not used if it is a symbolic link", () =>
    Effect.gen(function*() {
      const link = join(yield* temporaryFolder, "compiled")
      symlinkSync(folderIn(yield* temporaryFolder), link)
      assert.include(findCompileCacheProblem(link), "is not a folder")
    }))

  it.live(
    "is not used if another user owns it",
    () =>
      Effect.gen(function*() {
        const folder = folderIn(yield* temporaryFolder)
        chownSync(folder, 12_345, 12_345)
        assert.include(findCompileCacheProblem(folder), "belongs to another user")
      }),
    skipUnless("root, to give a folder to another user", process.getuid?.() === 0)
  )

  it.live("is not created if the environment names another or disables it, or with PostgreSQL", () =>
    Effect.gen(function*() {
      const dir = join(yield* temporaryFolder, "data")
      for (
        const settings of [
          { NODE_COMPILE_CACHE: "x" },
          { NODE_DISABLE_COMPILE_CACHE: "1" },
          { DATABASE_URL: "postgres://x" },
          { DATABASE_URL_FILE: "/run/secrets/url" }
        ]
      ) {
        assert.property(enableCache({ TAPELINE_DATA_DIR: dir, ...settings }), "reason")
      }
      assert.isFalse(existsSync(compileCacheFolder(dir)) || existsSync(dir))
      // If the folder cannot be created, the component that needs the folder reports the problem.
      assert.deepInclude(enableCache({ TAPELINE_DATA_DIR: "/etc/hostname/data" }), { unsafe: false })
    }))
})

it.live("writes the compile cache at the start, also if the environment names its folder", () =>
  Effect.gen(function*() {
    const folder = yield* temporaryFolder
    const program = `import { saveCache } from ${JSON.stringify(new URL("../src/compileCache.ts", import.meta.url))}
      import { readdirSync } from "node:fs"
      saveCache({ reason: "the environment disables it", unsafe: false })
      console.log(readdirSync(process.env.NODE_COMPILE_CACHE, { recursive: true }).join(" "))`
    // A process also writes its compile cache when it exits.
    const { stdout } = spawnSync(process.execPath, ["--input-type=module", "--eval", program], {
      encoding: "utf8",
      env: { ...process.env, NODE_COMPILE_CACHE: folder }
    })
    assert.include(stdout, "/")
  }))
