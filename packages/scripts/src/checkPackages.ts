// Packs what would be published, installs it in an empty project elsewhere, type-checks an embedding program against
// the declarations, and runs it.
import { execFileSync } from "node:child_process"
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { build, published, root } from "./build.ts"

const run = (command: string, args: ReadonlyArray<string>, cwd: string): string =>
  execFileSync(command, args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] })

build()
const elsewhere = mkdtempSync(join(tmpdir(), "tapeline-packages-"))
try {
  for (const { home } of published()) {
    run("npm", ["pack", join(home, "dist"), "--silent", "--pack-destination", elsewhere], elsewhere)
  }
  const tarballs = readdirSync(elsewhere).filter((file) => file.endsWith(".tgz"))
  writeFileSync(
    join(elsewhere, "package.json"),
    JSON.stringify({ name: "elsewhere", private: true, type: "module", allowScripts: {} })
  )
  const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    devDependencies: Record<string, string>
  }
  const types = `@types/node@${manifest.devDependencies["@types/node"]}`
  run("npm", [
    "install",
    "--ignore-scripts",
    "--prefer-offline",
    "--no-audit",
    "--no-fund",
    "--silent",
    types,
    ...tarballs.map((file) => `./${file}`)
  ], elsewhere)
  cpSync(join(root, "examples/embed-engine/src/main.ts"), join(elsewhere, "main.ts"))
  writeFileSync(
    join(elsewhere, "tsconfig.json"),
    JSON.stringify({
      compilerOptions: {
        target: "ES2024",
        module: "NodeNext",
        strict: true,
        noEmit: true,
        skipLibCheck: true,
        types: ["node"]
      },
      files: ["main.ts"]
    })
  )
  run(join(root, "node_modules/.bin/tsc"), ["-p", "."], elsewhere)
  const printed = run(process.execPath, ["main.ts"], elsewhere)
  if (!printed.includes("\"source\": \"simulated\"")) {
    throw new Error(`The embedding program printed something else:\n${printed}`)
  }
  console.log(`packages: ${tarballs.length} packed, installed elsewhere, type-checked and run`)
} finally {
  rmSync(elsewhere, { recursive: true })
}
