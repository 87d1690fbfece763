import type { Page } from "playwright-core"
import { expect, it } from "vitest"
import { notificationTexts } from "../../../browser/app/notifications/texts.ts"
import { frameTexts } from "../../../browser/app/texts.ts"
import { analystTexts } from "../../../browser/pages/analyst/texts.ts"
import { journalTexts } from "../../../browser/pages/journal/texts.ts"
import { tradeTexts } from "../../../browser/pages/journal/tradeTexts.ts"
import { keyDialogTexts } from "../../../browser/pages/keys/dialogTexts.ts"
import { keysTexts } from "../../../browser/pages/keys/texts.ts"
import { marketTexts } from "../../../browser/pages/market/texts.ts"
import { sessionsTexts } from "../../../browser/pages/sessions/texts.ts"
import { taskFormTexts } from "../../../browser/pages/tasks/formTexts.ts"
import { taskTexts } from "../../../browser/pages/tasks/texts.ts"
import { toolTexts } from "../../../browser/pages/tool/texts.ts"
import { dialogRules, findViolations, waitUntilSettled } from "../support/axe.ts"
import type { TestEnvironment } from "../support/environment.ts"
import { chooseMenuItem, waitForResult } from "../support/forms.ts"
import type { PopulatedAccount } from "../support/populateAccount.ts"

interface OpenableElement {
  readonly name: string
  /** The path of the page; undefined for the page that is already open. */
  readonly path?: string
  readonly open: (page: Page) => Promise<void>
  /** True if the element is a dialog only on a phone, because a wide screen has room for the element in the page. */
  readonly isPhoneOnly?: boolean
}

const pressButton = (page: Page, name: string | RegExp): Promise<void> =>
  page.getByRole("button", { name, ...(typeof name === "string" ? { exact: true } : {}) }).filter({ visible: true })
    .first().click()

const openTab = (page: Page, name: string): Promise<void> => page.getByRole("tab", { name, exact: true }).click()

const runTool = async (page: Page): Promise<void> => {
  await pressButton(page, toolTexts.en.run)
  await waitForResult(page)
}

const [keys, journal, tasks, form] = [keysTexts.en, journalTexts.en, taskTexts.en, taskFormTexts.en]

const openableElements = (
  { conversation, key, pendingTaskTitle }: PopulatedAccount
): ReadonlyArray<OpenableElement> => [
  { name: "a new key", path: "/keys", open: (page) => pressButton(page, keys.issue) },
  { name: "a key's change", open: (page) => pressButton(page, keys.change(key)) },
  { name: "a key's revocation", open: (page) => pressButton(page, keys.revoke(key)) },
  {
    name: "the end of other sessions",
    path: "/sessions",
    open: (page) => pressButton(page, sessionsTexts.en.endOthers)
  },
  { name: "a new position", path: "/journal", open: (page) => pressButton(page, journal.record) },
  { name: "a position's change", open: (page) => chooseMenuItem(page, journal.more("BTC"), journal.change) },
  { name: "a position's close", open: (page) => chooseMenuItem(page, journal.more("BTC"), journal.close) },
  { name: "a position's deletion", open: (page) => chooseMenuItem(page, journal.more("BTC"), journal.remove) },
  { name: "a position's menu", open: (page) => pressButton(page, journal.more("BTC")) },
  { name: "the trades", open: (page) => openTab(page, journal.trades) },
  { name: "a new note", open: (page) => pressButton(page, tradeTexts.en.addNote) },
  { name: "the statistics", open: (page) => openTab(page, journal.statistics) },
  { name: "the watchlist", open: (page) => openTab(page, journal.watchlist) },
  { name: "the risk", open: (page) => openTab(page, journal.risk) },
  { name: "a new watch", path: "/tasks", open: (page) => pressButton(page, tasks.create) },
  {
    name: "a new schedule",
    open: async (page) => {
      await pressButton(page, tasks.create)
      await page.getByRole("dialog").getByRole("radio", { name: form.schedule }).click()
    }
  },
  { name: "a task's change", open: (page) => chooseMenuItem(page, tasks.more(pendingTaskTitle), tasks.change) },
  { name: "a task's deletion", open: (page) => chooseMenuItem(page, tasks.more(pendingTaskTitle), tasks.remove) },
  { name: "a table", path: "/tools/get_price_history", open: runTool },
  { name: "a tree", path: "/tools/get_positions", open: runTool },
  {
    name: "the notifications",
    open: (page) => pressButton(page, new RegExp(`^${notificationTexts.en.button(0)}`, "u"))
  },
  { name: "the account menu", open: (page) => pressButton(page, new RegExp(`${frameTexts.en.accountMenu}$`, "u")) },
  { name: "all pages", isPhoneOnly: true, path: "/keys", open: (page) => pressButton(page, frameTexts.en.more) },
  {
    name: "all coins",
    isPhoneOnly: true,
    path: "/market/BTC",
    open: (page) => pressButton(page, marketTexts.en.choose)
  },
  {
    name: "all conversations",
    isPhoneOnly: true,
    path: `/analyst/${conversation}`,
    open: (page) => pressButton(page, analystTexts.en.conversations)
  }
]

export const testEveryDialog = (environment: () => TestEnvironment, getPopulated: () => PopulatedAccount): void => {
  it.each(["wide", "phone"] as const)(
    "has no axe violation in either theme (%s)",
    async (screen) => {
      await environment().openSignedIn(getPopulated().account)
      const { goTo, page } = await environment().openSignedIn(getPopulated().account, { screen })
      for (const [i, { name, isPhoneOnly = false, open, path }] of openableElements(getPopulated()).entries()) {
        if (isPhoneOnly && screen !== "phone") continue
        if (path !== undefined) {
          await goTo(path)
          await waitUntilSettled(page)
        }
        await open(page)
        const axeViolations = await findViolations(page, i % 2 === 0 ? "light" : "dark", dialogRules)
        expect.soft({ name, found: axeViolations }).toEqual({ name, found: [] })
        await page.keyboard.press("Escape")
        await page.getByRole("dialog").or(page.getByRole("menu")).waitFor({ state: "detached" })
      }
      await goTo("/keys")
      await pressButton(page, keys.issue)
      await page.getByRole("textbox", { name: keyDialogTexts.en.name }).fill(screen)
      await pressButton(page, keyDialogTexts.en.issue)
      await page.getByText(keyDialogTexts.en.shownTitle).waitFor()
      expect.soft({ name: "a key that is shown", found: await findViolations(page, "light", dialogRules) })
        .toEqual({ name: "a key that is shown", found: [] })
    }
  )
}
