import type { FixSessionSettings } from '../../service/src/market/fix/protocol.ts';
import {
  AsciiSessionMsgFactory,
  DefinitionFactory,
  EmptyLogFactory,
  type FixDefinitions,
  type IFixSessionStoreFactory,
  type ILooseObject,
  type ISessionDescription,
  JsFixConfig,
  SessionContainer,
} from './library.ts';

const SOH = 1;
/** Digits of BodyLength: leading zeros are legal, yet the fewer the better for strict venues. */
const BODY_LENGTH_CHARACTERS = 4;

let definitions: Promise<FixDefinitions> | undefined;
let container: SessionContainer | undefined;

/** FIX 4.4 in the dictionary of QuickFIX. It is read once. */
export function fix44(): Promise<FixDefinitions> {
  definitions ??= new DefinitionFactory().getDefinitions('qf44');
  return definitions;
}

/**
 * Makes the session messages. The library puts a TestReqID on every heartbeat; only one that answers a TestRequest has
 * one (FIX 4.4, Heartbeat).
 */
export class MessageFactory extends AsciiSessionMsgFactory {
  /** TestReqID of the venue's last TestRequest, until it is answered. */
  testRequestId: string | undefined;

  override heartbeat(testReqId: string): ILooseObject {
    if (testReqId !== this.testRequestId) return {};
    this.testRequestId = undefined;
    return super.heartbeat(testReqId);
  }
}

export interface EngineConfig {
  readonly config: JsFixConfig;
  readonly messages: MessageFactory;
}

/** What the library needs for a session, either end of it. Nothing is logged: messages hold passwords. */
export async function engineConfig(
  description: ISessionDescription,
  stores?: IFixSessionStoreFactory,
): Promise<EngineConfig> {
  if (container === undefined) {
    container = new SessionContainer();
    container.registerGlobal(new EmptyLogFactory());
  }
  const messages = new MessageFactory(description);
  const config = new JsFixConfig(messages, await fix44(), description, SOH, new EmptyLogFactory());
  if (stores !== undefined) config.sessionStoreFactory = stores;
  container.registerSession(config, container.newChild(description));
  return { config, messages };
}

/** The session as the library describes it. */
export function describe(settings: FixSessionSettings): ISessionDescription {
  const { name, host, port } = settings;
  return {
    Name: name,
    BeginString: 'FIX.4.4',
    SenderCompId: settings.senderCompId,
    TargetCompID: settings.targetCompId,
    // Left out of the messages when they are undefined, which the library's type does not know.
    SenderSubID: settings.senderSubId as string,
    TargetSubID: settings.targetSubId as string,
    Username: settings.username as string,
    Password: settings.password as string,
    ResetSeqNumFlag: settings.resetSequence,
    HeartBtInt: settings.heartbeatSeconds,
    BodyLengthChars: BODY_LENGTH_CHARACTERS,
    application: {
      name,
      type: 'initiator',
      protocol: 'ascii',
      dictionary: 'qf44',
      resilient: false,
      reconnectSeconds: 1,
      tcp: { host, port },
    },
  };
}
