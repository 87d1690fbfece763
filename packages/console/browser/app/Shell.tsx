import { Ellipsis } from "lucide-react"
import { type ReactNode, useState } from "react"
import { Button as Pressed } from "react-aria-components"
import { useLanguage } from "../i18n/LanguageProvider.tsx"
import { useTexts } from "../i18n/texts.ts"
import type { Page } from "../pages/page.ts"
import { Dialog } from "../widgets/Dialog.tsx"
import { Link } from "../widgets/layout.tsx"
import { Logo } from "./Logo.tsx"
import styles from "./Shell.module.css"
import { frameTexts } from "./texts.ts"

/** A page that the navigation lists. */
export type NavigationPage = Pick<Page, "path" | "name"> & { readonly place: NonNullable<Page["place"]> }

interface NavigationProps {
  readonly currentPath: string
  readonly pages: ReadonlyArray<NavigationPage>
}

/**
 * Returns whether a path belongs to a page or to one of the page's subpages. For example, `/tools/get_price` is a
 * subpage of `/tools`.
 */
const isCurrentPage = ({ path }: NavigationPage, currentPath: string): boolean =>
  currentPath === path || (path !== "/" && currentPath.startsWith(`${path}/`))

const NavigationEntry = ({ currentPath, page }: { readonly page: NavigationPage; readonly currentPath: string }) => {
  const { language } = useLanguage()
  const Icon = page.place.icon
  const isHere = isCurrentPage(page, currentPath)
  return (
    <li
      className={`${styles["entry"]} ${isHere ? styles["here"] : ""}`}
      {...(isHere ? { "aria-current": "page" } : {})}
    >
      <Link href={page.path} variant="block">
        <Icon aria-hidden />
        <span>{page.name[language]}</span>
      </Link>
    </li>
  )
}

const NavigationGroup = ({ currentPath, group, pages, title }: NavigationProps & {
  readonly group: NavigationPage["place"]["group"]
  readonly title?: string
}) => {
  const groupPages = pages.filter(({ place }) => place.group === group)
  if (groupPages.length === 0) return null
  return (
    <>
      {title !== undefined && <p className={styles["group"]}>{title}</p>}
      <ul className={styles["list"]}>
        {groupPages.map((page) => <NavigationEntry key={page.path} page={page} currentPath={currentPath} />)}
      </ul>
    </>
  )
}

/**
 * The number of pages in the bottom bar of a narrow screen. The last entry of the bottom bar opens a list of all pages.
 */
const maxBarPages = 4

const BottomBar = ({ currentPath, pages }: NavigationProps) => {
  const texts = useTexts(frameTexts)
  const [isOpen, setIsOpen] = useState(false)
  const barPages = pages.slice(0, pages.length > maxBarPages + 1 ? maxBarPages : maxBarPages + 1)
  return (
    <nav className={styles["bar"]} aria-label={texts.navigation}>
      <ul className={styles["barList"]}>
        {barPages.map((page) => <NavigationEntry key={page.path} page={page} currentPath={currentPath} />)}
        {pages.length > barPages.length && (
          <li className={styles["entry"]}>
            <Pressed className={styles["more"]!} onPress={() => setIsOpen(true)}>
              <Ellipsis aria-hidden />
              <span>{texts.more}</span>
            </Pressed>
          </li>
        )}
      </ul>
      <Dialog title={texts.moreTitle} isOpen={isOpen} onClose={() => setIsOpen(false)}>
        {/* A click on a link in the dialog also closes the dialog. */}
        <div className={styles["all"]} onClickCapture={() => setIsOpen(false)} role="presentation">
          <NavigationGroup pages={pages} currentPath={currentPath} group="work" />
          <NavigationGroup pages={pages} currentPath={currentPath} group="account" title={texts.account} />
        </div>
      </Dialog>
    </nav>
  )
}

/** The page frame after a sign-in, with navigation at the side, or at the bottom of a narrow screen. */
export const Shell = ({ children, currentPath, headerItems, pages }: NavigationProps & {
  readonly headerItems: ReadonlyArray<{ readonly id: string; readonly item: ReactNode }>
  readonly children: ReactNode
}) => {
  const texts = useTexts(frameTexts)
  return (
    <div className={styles["shell"]}>
      <a className={styles["skip"]} href="#page">{texts.skip}</a>
      <aside className={styles["side"]}>
        <div className={styles["mark"]}>
          <Logo />
        </div>
        <nav aria-label={texts.navigation}>
          <NavigationGroup pages={pages} currentPath={currentPath} group="work" />
          <NavigationGroup pages={pages} currentPath={currentPath} group="account" title={texts.account} />
        </nav>
      </aside>
      <header className={styles["top"]}>
        <div className={styles["topMark"]}>
          <Logo />
        </div>
        <div className={styles["corner"]}>
          {headerItems.map(({ id, item }) => <span key={id} className={styles["item"]}>{item}</span>)}
        </div>
      </header>
      <main className={styles["page"]} id="page" tabIndex={-1}>{children}</main>
      <BottomBar pages={pages} currentPath={currentPath} />
    </div>
  )
}
