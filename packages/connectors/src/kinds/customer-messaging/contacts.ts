import { entity, field, list, searchable } from '../../vocabulary/index.ts';
import { byCursor, changesOf, one, page } from './shared.ts';

/** Known members where a contact holds the first of some things. */
const firstOf = {
  type: 'string',
  data: [{ type: 'string', id: 'string', url: 'string' }],
  url: 'string',
  total_count: 'integer',
  has_more: 'boolean',
} as const;

const record = {
  type: field.string('Always contact.'),
  id: field.string('Contact id.', { always: true }),
  workspace_id: field.string('Workspace of the contact.'),
  external_id: field.string('Id that the workspace gave the contact.'),
  role: field.string('User or lead.'),
  email: field.string('E-mail address.'),
  phone: field.string('Telephone number.'),
  name: field.string('Name.'),
  avatar: field.stringIn('Address of a picture.', 'image_url'),
  owner_id: field.integer('Admin who looks after the contact.'),
  social_profiles: field.freeForm('Profiles in social networks.', {
    type: 'string',
    data: [{ type: 'string', name: 'string', url: 'string' }],
  }),
  has_hard_bounced: field.boolean('An e-mail came back for good.'),
  marked_email_as_spam: field.boolean('The contact called an e-mail spam.'),
  unsubscribed_from_emails: field.boolean('The contact wants no e-mail.'),
  created_at: field.integer('Creation, in seconds since 1970.'),
  updated_at: field.integer('Last change, in seconds since 1970.'),
  signed_up_at: field.integer('Sign-up, in seconds since 1970.'),
  last_seen_at: field.integer('Last visit, in seconds since 1970.'),
  last_replied_at: field.integer('Last message from the contact, in seconds since 1970.'),
  last_contacted_at: field.integer('Last message to the contact, in seconds since 1970.'),
  last_email_opened_at: field.integer('Last e-mail opened, in seconds since 1970.'),
  last_email_clicked_at: field.integer('Last link followed in an e-mail, in seconds since 1970.'),
  language_override: field.string('Language to write to the contact in.'),
  browser: field.string('Browser.'),
  browser_version: field.string('Version of the browser.'),
  browser_language: field.string('Language of the browser.'),
  os: field.string('Operating system.'),
  location: field.freeForm('Country, region and city.', {
    type: 'string',
    country: 'string',
    region: 'string',
    city: 'string',
    country_code: 'string',
    continent_code: 'string',
  }),
  android_app_name: field.string('Name of the Android app.'),
  android_app_version: field.string('Version of the Android app.'),
  android_device: field.string('Android device.'),
  android_os_version: field.string('Version of Android.'),
  android_sdk_version: field.string('Version of the Android SDK.'),
  android_last_seen_at: field.integer('Last use of the Android app, in seconds since 1970.'),
  ios_app_name: field.string('Name of the iOS app.'),
  ios_app_version: field.string('Version of the iOS app.'),
  ios_device: field.string('iOS device.'),
  ios_os_version: field.string('Version of iOS.'),
  ios_sdk_version: field.string('Version of the iOS SDK.'),
  ios_last_seen_at: field.integer('Last use of the iOS app, in seconds since 1970.'),
  custom_attributes: field.object('Attributes that the workspace defined.'),
  tags: field.freeForm('Tags: the first of them, and where the others are.', firstOf),
  notes: field.freeForm('Notes: the first of them, and where the others are.', firstOf),
  companies: field.freeForm('Companies: the first of them, and where the others are.', firstOf),
};

/** Searchable fields that are in no record, or of another type there. */
const only = {
  // A number in the record, text where it is searched.
  android_last_seen_at: field.string('Last use of the Android app.'),
  opted_in_subscription_types: field.object('Subscriptions that the contact asked for.', firstOf),
  opted_out_subscription_types: field.object('Subscriptions that the contact ended.', firstOf),
  referrer: field.string('Page that led the contact to the website.'),
  sms_consent: field.boolean('The contact agreed to text messages.'),
  unsubscribed_from_sms: field.boolean('The contact wants no text messages.'),
  utm_campaign: field.string('Campaign that led the contact to the website.'),
  utm_content: field.string('Which link of the campaign it was.'),
  utm_medium: field.string('Medium of the campaign, for example e-mail.'),
  utm_source: field.string('Where the campaign ran.'),
  utm_term: field.string('Search words of the campaign.'),
};

/** @see docs/reference/customer-messaging.md#contacts */
export const contacts = entity({
  name: 'contacts',
  doc: 'Users and leads of the workspace.',
  reference: page('contacts'),
  record,
  actions: {
    list: list({
      doc: 'Lists contacts.',
      reference: page('contacts/listcontacts'),
      request: 'GET /contacts',
      ...byCursor(),
      records: 'data',
    }),
    get: one('contacts', 'contacts/showcontact'),
  },
  search: searchable(record, {
    only,
    // prettier-ignore
    sortable: [
      'id', 'name', 'email', 'external_id', 'created_at', 'updated_at', 'signed_up_at',
      'last_seen_at', 'last_replied_at', 'last_contacted_at', 'last_email_opened_at',
      'last_email_clicked_at',
    ],
    text: ['name', 'email', 'phone', 'external_id', 'custom_attributes'],
  }),
  replicate: {
    params: { per_page: 150 },
    increment: {
      list: changesOf('contacts', 'data', 'contacts/searchcontacts'),
      // Contacts are searched by day, without the day itself, and maybe in a time zone of their own.
      since: { param: 'updated_after', as: 'seconds', overlapSeconds: 2 * 86_400 },
    },
    fullEveryHours: 24,
  },
});
