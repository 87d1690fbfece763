import { readFileSync } from "node:fs"

const deployDir = new URL("../../../deploy/", import.meta.url)

/** Returns a file of the folder `deploy` with other addresses and paths. Throws if the file lacks one of them. */
export const deployedFile = (
  name: string,
  replacements: ReadonlyArray<readonly [from: string, to: string]>
): string => {
  let text = readFileSync(new URL(name, deployDir), "utf8")
  for (const [from, to] of replacements) {
    if (!text.includes(from)) throw new Error(`deploy/${name} does not contain ${from}`)
    text = text.replaceAll(from, to)
  }
  return text
}
