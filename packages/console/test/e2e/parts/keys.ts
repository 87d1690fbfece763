import type { Language } from "@tapeline/core/specifications"
import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { expect, it } from "vitest"
import { keyDialogTexts } from "../../../browser/pages/keys/dialogTexts.ts"
import { keysTexts } from "../../../browser/pages/keys/texts.ts"
import { usageTexts } from "../../../browser/pages/usage/texts.ts"
import { testedLanguages } from "../support/describeInBrowser.ts"
import type { TestEnvironment } from "../support/environment.ts"

const run = promisify(execFile)

const runInShell = async (command: string) => {
  const { stdout } = await run("sh", ["-c", `${command} -w '\\n%{http_code}'`])
  const end = stdout.lastIndexOf("\n")
  return { status: Number(stdout.slice(end)), body: stdout.slice(0, end) }
}

/**
 * Issues a key, calls a tool with the key, checks the usage, revokes the key and calls the tool again. Returns the
 * responses of the two tool calls.
 */
const runKeyLifecycle = async (environment: TestEnvironment, language: Language) => {
  const [texts, dialogTexts, monthTexts] = [keysTexts[language], keyDialogTexts[language], usageTexts[language]]
  const { goTo, load, page } = await environment.openSignedIn(await environment.createAccount(), { language })
  await goTo("/usage")
  await page.getByText(monthTexts.none).waitFor()

  await goTo("/keys")
  await page.getByRole("button", { name: texts.issue }).first().click()
  await page.getByRole("textbox", { name: dialogTexts.name }).fill("laptop")
  await page.getByRole("dialog").getByRole("button", { name: dialogTexts.issue }).click()
  const command = await page.getByRole("region", { name: dialogTexts.shellExample }).innerText()
  const firstResponse = await runInShell(command)
  await page.getByRole("button", { name: dialogTexts.done }).click()
  const row = page.getByRole("row", { name: /laptop/u })
  await row.waitFor()

  await load("/usage")
  const tool = /tools\/(\w+)/u.exec(command)![1]!
  await page.getByRole("tabpanel").getByRole("row", { name: new RegExp(tool, "u") }).waitFor()
  await page.getByRole("tab", { name: monthTexts.byKey }).click()
  await page.getByRole("row", { name: /laptop/u }).waitFor()

  await goTo("/keys")
  await row.getByRole("button", { name: texts.revoke("laptop") }).click()
  await page.getByRole("alertdialog").or(page.getByRole("dialog")).getByRole("button", { name: dialogTexts.revoke })
    .click()
  await row.waitFor({ state: "detached" })
  return { firstResponse, rejectedResponse: await runInShell(command) }
}

export const testKeys = (environment: () => TestEnvironment): void => {
  it.each(testedLanguages)(
    "issues a key, counts its call from a shell as usage, and rejects it after revocation (%s)",
    async (language) => {
      const { firstResponse, rejectedResponse } = await runKeyLifecycle(environment(), language)
      expect(firstResponse).toMatchObject({ status: 200 })
      expect(rejectedResponse).toMatchObject({
        status: 401,
        body: expect.stringContaining("urn:tapeline:problem:invalid_key")
      })
    }
  )
}
