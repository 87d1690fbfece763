import { readFileSync } from "node:fs"

const page = new URL("../../../../docs/backups.md", import.meta.url)

/** Returns the blocks of shell commands of a section of docs/backups.md, so that the tests run what operators run. */
export const commandsOf = (section: string): ReadonlyArray<string> => {
  const text = readFileSync(page, "utf8")
  const part = text.split(/^(?=#{2,3} )/mu).find((part) => part.split("\n", 1)[0]!.replace(/^#+ /u, "") === section)
  if (part === undefined) throw new Error(`docs/backups.md has no section ${section}`)
  return [...part.matchAll(/^```sh\b.*\n([^]*?)^```$/gmu)].map(([, code]) => code!)
}
