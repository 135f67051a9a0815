// What the pages themselves say, in German.
import type { Interval } from '../../../lib/processors/processor.ts'
import type { Texts } from './en.ts'

const INTERVAL_NAMES: Readonly<Record<Interval, readonly [one: string, many: string]>> = {
  day: ['Tag', 'Tage'],
  week: ['Woche', 'Wochen'],
  month: ['Monat', 'Monate'],
  year: ['Jahr', 'Jahre'],
}

function every(interval: Interval, count: number): string {
  const [one, many] = INTERVAL_NAMES[interval]
  return count === 1 ? `pro ${one}` : `alle ${count} ${many}`
}

function waitText(minutes: number): string {
  if (minutes <= 1) return 'einer Minute'
  return minutes < 120 ? `${minutes} Minuten` : `${Math.ceil(minutes / 60)} Stunden`
}

export const DE: Texts = {
  account: 'Ihr Konto',
  restoreLink: 'Kauf wiederherstellen',
  ticketLink: 'Hilfe',
  footer: 'Weitere Seiten',
  languages: 'Sprachen',
  geo: 'IP-Geolokalisierung von DB-IP',

  choose: 'Wählen Sie einen Preis',
  billing: 'Abrechnung',
  continue: 'Weiter',
  recommended: 'Empfohlen',
  once: 'einmalig',
  every,
  intervals: { day: 'Täglich', week: 'Wöchentlich', month: 'Monatlich', year: 'Jährlich' },
  trial: (days, then) => `${days === 1 ? '1 Tag' : `${days} Tage`} gratis, danach ${then}`,
  hasAccess: 'Sie haben Zugang.',
  notBought: 'Es wurde nichts gekauft und nichts abgebucht. Sie können es jederzeit noch einmal versuchen.',
  leaving: 'Weiter zum Zahlungsdienst',
  leavingText: 'Sie werden weitergeleitet. Wenn nichts geschieht, folgen Sie dem Link.',
  leavingLink: 'Weiter',

  thanks: 'Vielen Dank!',
  thanksText: 'Ihr Kauf steht Ihnen ab sofort zur Verfügung.',
  pending: 'Ihre Zahlung ist unterwegs',
  pendingText: 'Wir warten auf die Bestätigung. Sobald sie da ist, zeigt diese Seite sie an.',
  pendingLong:
    'Es dauert länger als sonst. Sie können diese Seite schließen: Der Kauf erscheint von selbst in Ihrem Konto.',
  stillHave: (label) => `Sie haben noch ${label}. Es verlängert sich, wenn Sie es nicht kündigen.`,
  thanksGuest:
    'Wenn Sie gerade bezahlt haben, wird Ihr Kauf bereitgestellt. Um ihn hier zu sehen, melden Sie sich mit Ihrer E-Mail-Adresse an.',
  backTo: (name) => `Zurück zu ${name}`,

  signInText:
    'Melden Sie sich an, um zu sehen, was Sie gekauft haben. Sie bekommen einen Code per E-Mail und brauchen kein Passwort.',
  keepPurchase:
    'Bisher kennt nur dieser Browser Ihren Kauf. Melden Sie sich mit Ihrer E-Mail-Adresse an, um ihn überall zu haben und ändern zu können.',
  signInToBuy:
    'Bitte melden Sie sich vor dem Bezahlen mit Ihrer E-Mail-Adresse an. Danach geht es mit Ihrer Auswahl weiter.',
  email: 'E-Mail-Adresse',
  mailCode: 'Code zusenden',
  codeSent: (email) => `Wir haben einen Code an ${email} geschickt. Das kann eine Minute dauern.`,
  code: 'Code aus der E-Mail',
  codeHint: 'Acht Ziffern. Der Code gilt 10 Minuten und funktioniert einmal.',
  takeRestored: 'Wenn in der E-Mail steht, dass mit dieser Adresse etwas gekauft wurde, soll es in mein Konto kommen',
  signIn: 'Anmelden',
  mailAgain: 'Neuen Code zusenden',
  signedInAs: (email) => `Angemeldet als ${email}`,
  signOut: 'Abmelden',

  restore: 'Kauf wiederherstellen',
  restoreText:
    'Sie haben bezahlt, aber dieser Browser weiß nichts davon? Geben Sie die E-Mail-Adresse ein, die Sie beim Bezahlen angegeben ' +
    'haben. Sie bekommen einen Code, der Ihren Kauf hierher bringt.',
  restored: 'Willkommen zurück. Das haben Sie gekauft.',
  nothingRestored: 'Mit dieser Adresse wurde nichts gekauft.',

  nothingBought: 'Sie haben noch nichts gekauft.',
  seePrices: 'Zu den Preisen',
  earlier: 'Frühere Käufe',
  tokens: 'Tokens',
  portal: 'Zahlungsmittel und Rechnungen',
  utc: 'Alle Daten in UTC.',
  statuses: {
    pending: 'Ausstehend',
    trialing: 'Testphase',
    active: 'Aktiv',
    past_due: 'Zahlung fehlgeschlagen',
    paused: 'Pausiert',
    canceled: 'Beendet',
    refunded: 'Erstattet',
  },
  boughtOn: (day) => `Gekauft am ${day}`,
  renewsOn: (day) => `Verlängert sich am ${day}`,
  endsOn: (day) => `Verlängert sich nicht. Sie haben es bis ${day}`,
  trialUntil: (day) => `Gratis bis ${day}. Danach verlängert es sich, wenn Sie nicht vorher kündigen`,
  pastDue: 'Die letzte Zahlung ist fehlgeschlagen. Bitte prüfen Sie Ihr Zahlungsmittel',
  paused: 'Während der Pause wird nichts abgebucht',
  replaced: 'Ihr neuer Kauf ersetzt es',
  pendingPayment: 'Ihre Zahlung ist unterwegs',

  cancel: 'Abo kündigen',
  cancelTitle: (label) => `${label} kündigen`,
  cancelText: (day) => `Es verlängert sich nicht mehr. Bis ${day} haben Sie es noch.`,
  cancelAtOnceText: 'Ihre Probezeit endet sofort und damit Ihr Zugang. Ihnen wird nichts berechnet.',
  whyCancel: 'Warum kündigen Sie?',
  reasons: {
    price: 'Es ist zu teuer',
    unused: 'Ich nutze es zu selten',
    missing: 'Mir fehlt etwas, das ich brauche',
    quality: 'Es funktioniert nicht gut',
    other: 'Etwas anderes',
  },
  inYourWords: 'In Ihren Worten, wenn Sie mögen',
  cancelNow: 'Jetzt kündigen',
  keepIt: 'Behalten',
  cancelled: 'Ihr Abo ist gekündigt und verlängert sich nicht mehr.',
  hasEnded: 'Ihr Abo ist beendet und damit auch Ihr Zugang.',
  beforeYouGo: 'Bevor Sie gehen',
  add: (label) => `${label} dazunehmen`,
  addHint: 'Was Sie jetzt haben, läuft weiter, bis Sie es kündigen.',

  ticket: 'Hilfe',
  subject: 'Betreff',
  message: 'Nachricht',
  images: 'Bilder, wenn sie helfen',
  imagesHint: 'Höchstens fünf, JPEG, PNG oder WebP, je höchstens 10 MB.',
  imagesAgain: 'Ihr Text ist noch da, aber bitte wählen Sie Ihre Bilder noch einmal aus.',
  send: 'Senden',
  ticketOpened: (id) => `Danke. Ihre Nachricht ist als Nummer ${id} angekommen; die Antwort kommt per E-Mail.`,

  problem: 'Das hat nicht geklappt',
  notFound: 'Diese Seite gibt es nicht',
  notFoundText: 'Prüfen Sie die Adresse, oder gehen Sie dorthin zurück, woher Sie kamen.',
  failed: 'Bei uns ist etwas schiefgegangen. Bitte versuchen Sie es gleich noch einmal.',
  tryLater: (minutes) => `Das war zu oft. Bitte versuchen Sie es in ${waitText(minutes)} noch einmal.`,
  unavailable: 'Wir erreichen unsere Daten gerade nicht. Bitte versuchen Sie es gleich noch einmal.',
  tryAgain: 'Noch einmal versuchen',
  processorUnavailable: 'Der Zahlungsdienst antwortet gerade nicht. Bitte versuchen Sie es gleich noch einmal.',
  processorRejected:
    'Der Zahlungsdienst hat das nicht angenommen. Wenn es wieder geschieht, wenden Sie sich bitte an uns.',
  tooLarge: 'Das ist zu viel, um gesendet zu werden. Bitte kürzen Sie es.',
  outdated: 'Diese Seite war nicht mehr aktuell. Bitte versuchen Sie es noch einmal.',
  forged:
    'Diese Anfrage kam nicht von dieser Seite. Gehen Sie zurück, laden Sie die Seite neu und versuchen Sie es noch einmal.',
  activePurchase: 'Das haben Sie schon. Ihr Konto zeigt es.',
  priceGone: 'Dieser Preis hat sich gerade geändert. Bitte wählen Sie noch einmal.',
  choosePrice: 'Bitte wählen Sie zuerst einen Preis.',
  chooseReason: 'Bitte wählen Sie einen Grund.',
  alreadyCancelled: 'Das ist schon gekündigt.',
  noPortal: 'Dafür hat der Zahlungsdienst keine Seite. Bitte wenden Sie sich an uns.',
  wrongEmail: 'Bitte geben Sie eine gültige E-Mail-Adresse ein.',
  wrongCode: 'Dieser Code ist falsch oder abgelaufen.',
  captchaNeeded: 'Bitte bestätigen Sie, dass Sie ein Mensch sind, und fordern Sie dann noch einmal einen Code an.',
  captchaUnavailable:
    'Wir können gerade nicht prüfen, ob Sie ein Mensch sind. Bitte versuchen Sie es später noch einmal.',
  ticketMayBeOpen:
    'Ob Ihre Nachricht angekommen ist, wissen wir nicht. Bitte senden Sie sie nur dann noch einmal, wenn niemand antwortet.',
  ticketTexts:
    'Bitte geben Sie einen Betreff mit 3 bis 200 Zeichen ein und eine Nachricht mit höchstens 5.000 Zeichen.',
  wrongImages: 'Bitte wählen Sie höchstens fünf Bilder, JPEG, PNG oder WebP, je höchstens 10 MB.',
}
