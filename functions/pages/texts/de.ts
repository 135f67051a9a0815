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

export const DE: Texts = {
  account: 'Ihr Konto',
  restoreLink: 'Kauf wiederherstellen',
  ticketLink: 'Hilfe',
  footer: 'Weitere Seiten',
  languages: 'Sprachen',
  geo: 'IP-Geolokalisierung von DB-IP',
  testMode: 'Testbetrieb: Es fließt kein echtes Geld.',

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
  thanksGuest:
    'Wenn Sie gerade bezahlt haben, wird Ihr Kauf bereitgestellt. Um ihn hier zu sehen, melden Sie sich mit Ihrer E-Mail-Adresse an.',
  backTo: (name) => `Zurück zu ${name}`,

  problem: 'Das hat nicht geklappt',
  notFound: 'Diese Seite gibt es nicht',
  notFoundText: 'Prüfen Sie die Adresse, oder gehen Sie dorthin zurück, woher Sie kamen.',
  failed: 'Bei uns ist etwas schiefgegangen. Bitte versuchen Sie es gleich noch einmal.',
  tryLater: (minutes) =>
    minutes <= 1
      ? 'Das war zu oft. Bitte versuchen Sie es in einer Minute noch einmal.'
      : `Das war zu oft. Bitte versuchen Sie es in ${minutes} Minuten noch einmal.`,
  unavailable:
    'Wir erreichen unsere Daten gerade nicht. Nichts ging verloren: Bitte versuchen Sie es gleich noch einmal.',
  processorUnavailable:
    'Der Zahlungsdienst antwortet gerade nicht. Es wurde nichts abgebucht: Bitte versuchen Sie es gleich noch einmal.',
  processorRejected:
    'Der Zahlungsdienst hat das nicht angenommen. Es wurde nichts abgebucht. Wenn es wieder geschieht, wenden Sie sich bitte an uns.',
  forged:
    'Diese Anfrage kam nicht von dieser Seite. Gehen Sie zurück, laden Sie die Seite neu und versuchen Sie es noch einmal.',
  activePurchase: 'Das haben Sie schon. Ihr Konto zeigt es.',
  priceGone: 'Dieser Preis hat sich gerade geändert. Bitte wählen Sie noch einmal.',
  choosePrice: 'Bitte wählen Sie zuerst einen Preis.',
}
