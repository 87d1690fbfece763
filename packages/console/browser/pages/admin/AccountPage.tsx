import type { AdminAccount } from "@tapeline/client/admin"
import { SearchX } from "lucide-react"
import { type ReactNode, useState } from "react"
import { useNumbers } from "../../i18n/numbers.ts"
import { useTexts } from "../../i18n/texts.ts"
import { Button } from "../../widgets/Button.tsx"
import { BackLink, Link, PageHeader, Panel } from "../../widgets/layout.tsx"
import { RequestView } from "../../widgets/RequestView.tsx"
import { EmptyState, Skeleton } from "../../widgets/states.tsx"
import { TabPanels } from "../../widgets/TabPanels.tsx"
import { CloseDialog, ReactivateDialog, RevokeAllDialog, SuspendDialog } from "./accountDialogs.tsx"
import { AccountStatusBadge } from "./AccountStatusBadge.tsx"
import { AnswersPanel, KeysPanel, TasksPanel } from "./accountTables.tsx"
import { accountTexts } from "./accountTexts.ts"
import { actionTexts } from "./actionTexts.ts"
import { useAdminRequest } from "./adminAccess.tsx"
import styles from "./AdminPage.module.css"
import { CallsPanel } from "./CallsPanel.tsx"
import { CreditsPanel } from "./CreditsPanel.tsx"
import { parseId } from "./queryParameters.ts"
import { adminTexts } from "./texts.ts"

type OpenDialog = "suspend" | "reactivate" | "close" | "revoke all"

const dialogs = {
  suspend: SuspendDialog,
  reactivate: ReactivateDialog,
  close: CloseDialog,
  "revoke all": RevokeAllDialog
}

const AccountActions = ({ account }: { readonly account: AdminAccount }) => {
  const texts = useTexts(actionTexts)
  const [dialog, setDialog] = useState<OpenDialog>()
  const Dialog = dialog === undefined ? undefined : dialogs[dialog]
  return (
    <>
      {account.status === "active" && <Button onPress={() => setDialog("suspend")}>{texts.suspend}</Button>}
      {account.status === "suspended" && <Button onPress={() => setDialog("reactivate")}>{texts.reactivate}</Button>}
      {account.status !== "closed" && (
        <>
          <Button onPress={() => setDialog("revoke all")}>{texts.revokeAll}</Button>
          <Button variant="danger" onPress={() => setDialog("close")}>{texts.close}</Button>
        </>
      )}
      {Dialog !== undefined && <Dialog account={account} onClose={() => setDialog(undefined)} />}
    </>
  )
}

const Fact = ({ children, isWide = false, name }: {
  readonly name: string
  readonly children: ReactNode
  readonly isWide?: boolean
}) => (
  <div className={isWide ? styles["wide"] : ""}>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
)

const AccountFacts = ({ account }: { readonly account: AdminAccount }) => {
  const texts = useTexts(accountTexts)
  const { time } = useNumbers()
  const metadata = Object.entries(account.metadata)
  return (
    <Panel>
      <dl className={styles["facts"]}>
        <Fact name={texts.status}>
          <AccountStatusBadge status={account.status} />
        </Fact>
        <Fact name={texts.plan}>
          <code>{account.plan}</code>
        </Fact>
        <Fact name={texts.externalId}>
          {account.external_id === null
            ? <span className="soft">{texts.noValue}</span>
            : <code>{account.external_id}</code>}
        </Fact>
        <Fact name={texts.created}>{time(account.created_at)}</Fact>
        {account.status_reason !== null && <Fact name={texts.statusReason} isWide>{account.status_reason}</Fact>}
        {metadata.length > 0 && (
          <Fact name={texts.metadata} isWide>
            <ul>
              {metadata.map(([name, value]) => (
                <li key={name}>
                  <code>{name}: {value}</code>
                </li>
              ))}
            </ul>
          </Fact>
        )}
      </dl>
    </Panel>
  )
}

const AccountView = ({ account }: { readonly account: AdminAccount }) => {
  const texts = useTexts(accountTexts)
  const { account: accountName } = useTexts(adminTexts)
  return (
    <>
      <PageHeader
        title={<span className={styles["breakable"]}>{account.name}</span>}
        aside={<AccountActions account={account} />}
      >
        <span className="row wrap gap-x-3">
          <span>{accountName(account.id)}</span>
          <Link href={`/admin/usage?account=${account.id}`}>{texts.toUsage}</Link>
          <Link href={`/admin/events?account=${account.id}`}>{texts.toEvents}</Link>
        </span>
      </PageHeader>
      <AccountFacts account={account} />
      <TabPanels
        label={texts.details}
        panels={[
          { name: "credits", title: texts.adjustments, content: <CreditsPanel account={account} /> },
          { name: "keys", title: texts.keys, content: <KeysPanel account={account} /> },
          { name: "answers", title: texts.answers, content: <AnswersPanel account={account} /> },
          { name: "tasks", title: texts.tasks, content: <TasksPanel account={account} /> },
          { name: "calls", title: texts.calls, content: <CallsPanel account={account} /> }
        ]}
      />
    </>
  )
}

const KnownAccount = ({ id }: { readonly id: number }) => {
  const account = useAdminRequest(["account", id], (client, options) => client.account(id, options))
  return (
    <RequestView request={account} placeholder={<Skeleton lines={8} />}>
      {(account) => <AccountView account={account} />}
    </RequestView>
  )
}

/** One account: its status, keys, running answers, tasks, credits and calls. */
export const AccountPage = ({ params }: { readonly params: Readonly<Record<string, string>> }) => {
  const texts = useTexts(accountTexts)
  const id = parseId(params["id"])
  return (
    <>
      <BackLink href="/admin/accounts">{texts.title}</BackLink>
      {id === undefined
        ? <EmptyState isPage icon={SearchX} title={texts.none}>{texts.accountIdWrong}</EmptyState>
        : <KnownAccount id={id} />}
    </>
  )
}
