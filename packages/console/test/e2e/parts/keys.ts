import type { Language } from "@tapeline/core/specifications"
import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { expect, it } from "vitest"
import { keyDialogWords } from "../../../browser/pages/keys/dialogWords.ts"
import { keysWords } from "../../../browser/pages/keys/words.ts"
import { usageWords } from "../../../browser/pages/usage/words.ts"
import type { House } from "../support/house.ts"
import { someLanguages } from "../support/inBrowser.ts"

const run = promisify(execFile)

/** Runs a command that the page shows, and returns the status and the body of the response. */
const inShell = async (command: string) => {
  const { stdout } = await run("sh", ["-c", `${command} -w '\\n%{http_code}'`])
  const end = stdout.lastIndexOf("\n")
  return { status: Number(stdout.slice(end)), body: stdout.slice(0, end) }
}

/** Issues a key, calls with it, checks the usage, revokes the key and calls again. Returns both responses. */
const journey = async (house: House, language: Language) => {
  const [said, dialog, used] = [keysWords[language], keyDialogWords[language], usageWords[language]]
  const { go, load, page } = await house.signedIn(await house.account(), { language })
  await go("/usage")
  await page.getByText(used.none).waitFor()

  await go("/keys")
  await page.getByRole("button", { name: said.issue }).first().click()
  await page.getByRole("textbox", { name: dialog.name }).fill("laptop")
  await page.getByRole("dialog").getByRole("button", { name: dialog.issue }).click()
  const command = await page.getByRole("region", { name: dialog.trial }).innerText()
  const called = await inShell(command)
  await page.getByRole("button", { name: dialog.done }).click()
  const row = page.getByRole("row", { name: /laptop/u })
  await row.waitFor()

  await load("/usage")
  const tool = /tools\/(\w+)/u.exec(command)![1]!
  await page.getByRole("tabpanel").getByRole("row", { name: new RegExp(tool, "u") }).waitFor()
  await page.getByRole("tab", { name: used.byKey }).click()
  await page.getByRole("row", { name: /laptop/u }).waitFor()

  await go("/keys")
  await row.getByRole("button", { name: said.revoke("laptop") }).click()
  await page.getByRole("alertdialog").or(page.getByRole("dialog")).getByRole("button", { name: dialog.revoke }).click()
  await row.waitFor({ state: "detached" })
  return { called, refused: await inShell(command) }
}

export const keys = (house: () => House): void => {
  it.each(someLanguages)(
    "a key is issued, calls a tool from a shell, moves the usage, is revoked, and is refused then (%s)",
    async (language) => {
      const { called, refused } = await journey(house(), language)
      expect(called).toMatchObject({ status: 200 })
      expect(refused).toMatchObject({ status: 401, body: expect.stringContaining("urn:tapeline:problem:invalid_key") })
    }
  )
}
