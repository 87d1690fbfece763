import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core"
import { readFileSync } from "node:fs"
import { publint } from "publint"
import { formatMessage } from "publint/utils"

/** Fails if publint reports anything, including suggestions. */
export const runPublint = async (tarballs: ReadonlyArray<string>): Promise<void> => {
  for (const path of tarballs) {
    const tarball = Uint8Array.from(readFileSync(path)).buffer
    const { messages, pkg } = await publint({ level: "suggestion", strict: true, pack: { tarball } })
    if (messages.length > 0) {
      const report = messages.map((message) => `  ${formatMessage(message, pkg) ?? message.code}`).join("\n")
      throw new Error(`publint reports problems of ${path}:\n${report}`)
    }
  }
}

/**
 * The supported kinds of module resolution. Node 10 and `require` are not supported, because the packages are ES
 * modules for Node 22.
 */
const supportedResolutions = new Set(["bundler", "node16-esm"])

export const checkTypes = async (tarballs: ReadonlyArray<string>): Promise<void> => {
  for (const tarball of tarballs) {
    const result = await checkPackage(createPackageFromTarballData(readFileSync(tarball)))
    if (result.types === false) throw new Error(`${tarball} contains no types`)
    const problems = result.problems.filter((problem) =>
      !("resolutionKind" in problem) || supportedResolutions.has(problem.resolutionKind)
    )
    if (problems.length > 0) throw new Error(`${result.packageName}: ${JSON.stringify(problems, null, 2)}`)
  }
}
