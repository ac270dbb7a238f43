// A FIX 4.4 venue on QuickFIX, an engine that shares nothing with the gateway's: market data (V, W, X, Y), quotes
// (R, S, AG) and orders (D, 8). Tests and the demo build it where g++ and libquickfix-dev are installed.
//
//   venue <settings file> <milliseconds between prices>
//
// The password of its parties is in the environment variable VENUE_PASSWORD.
// On standard input it takes "move" (every price takes a step), "skip <n>" (as if n messages were lost on the way),
// "withdraw" (the offers are deleted, or left out of the books) and "logout" (its sessions are logged out, with a reason).
// It ends with its input. What happens in its sessions it writes to standard output.
#include <quickfix/Application.h>
#include <quickfix/FileStore.h>
#include <quickfix/MessageCracker.h>
#include <quickfix/Session.h>
#include <quickfix/SessionSettings.h>
#include <quickfix/SocketAcceptor.h>
#include <quickfix/fix44/ExecutionReport.h>
#include <quickfix/fix44/MarketDataIncrementalRefresh.h>
#include <quickfix/fix44/MarketDataRequest.h>
#include <quickfix/fix44/MarketDataRequestReject.h>
#include <quickfix/fix44/MarketDataSnapshotFullRefresh.h>
#include <quickfix/fix44/NewOrderSingle.h>
#include <quickfix/fix44/Quote.h>
#include <quickfix/fix44/QuoteRequest.h>
#include <quickfix/fix44/QuoteRequestReject.h>

#include <chrono>
#include <cstdlib>
#include <iostream>
#include <map>
#include <mutex>
#include <set>
#include <sstream>
#include <thread>

namespace {

const long long FILLED_MAX = 5000000;

struct Mid {
  long long units;
  int decimals;
};

struct Subscription {
  FIX::SessionID session;
  std::string id;
  std::string symbol;
  bool incremental;
};

// Prices stay texts: QuickFIX would write a double its own way.
std::string price(const Mid& mid, long long offset) {
  std::string digits = std::to_string(mid.units + offset);
  while (static_cast<int>(digits.size()) <= mid.decimals) digits = "0" + digits;
  return digits.substr(0, digits.size() - mid.decimals) + "." + digits.substr(digits.size() - mid.decimals);
}

class Venue : public FIX::Application, public FIX::MessageCracker {
 public:
  explicit Venue(const std::string& password) : password_(password) {
    mids_["EUR/USD"] = {117000, 5};
    mids_["GBP/USD"] = {134000, 5};
    mids_["USD/JPY"] = {155000, 3};
    mids_["USD/CHF"] = {80000, 5};
  }

  void move() {
    std::lock_guard<std::mutex> guard(lock_);
    for (auto& entry : mids_) {
      draw_ = draw_ * 48271 % 2147483647;
      entry.second.units += draw_ % 7 - 3;
    }
    for (const auto& entry : subscriptions_) publish(entry.second, entry.second.incremental);
  }

  void withdraw() {
    std::lock_guard<std::mutex> guard(lock_);
    for (const auto& entry : subscriptions_) {
      const Subscription& subscription = entry.second;
      if (!subscription.incremental) {
        publish(subscription, false, true);
        continue;
      }
      FIX44::MarketDataIncrementalRefresh changes;
      changes.set(FIX::MDReqID(subscription.id));
      FIX44::MarketDataIncrementalRefresh::NoMDEntries removed;
      removed.set(FIX::MDUpdateAction('2'));
      removed.set(FIX::MDEntryType('1'));
      removed.set(FIX::Symbol(subscription.symbol));
      changes.addGroup(removed);
      FIX::Session::sendToTarget(changes, subscription.session);
    }
  }

  void logout() {
    for (const auto& id : sessions_) {
      FIX::Session* session = FIX::Session::lookupSession(id);
      if (session != nullptr) session->logout("end of the day");
    }
  }

  void skip(int messages) {
    std::lock_guard<std::mutex> guard(lock_);
    for (const auto& id : sessions_) {
      FIX::Session* session = FIX::Session::lookupSession(id);
      if (session != nullptr) session->setNextSenderMsgSeqNum(session->getExpectedSenderNum() + messages);
    }
  }

  void onCreate(const FIX::SessionID& id) override { sessions_.insert(id); }
  void onLogon(const FIX::SessionID& id) override { say("logon", id); }
  void onLogout(const FIX::SessionID& id) override {
    std::lock_guard<std::mutex> guard(lock_);
    for (auto at = subscriptions_.begin(); at != subscriptions_.end();)
      at = at->second.session == id ? subscriptions_.erase(at) : std::next(at);
    say("logout", id);
  }
  void toAdmin(FIX::Message& message, const FIX::SessionID& id) override {
    if (typeOf(message) == "2") say("asks again", id);
  }
  void toApp(FIX::Message&, const FIX::SessionID&) throw(FIX::DoNotSend) override {}

  void fromAdmin(const FIX::Message& message, const FIX::SessionID& id) throw(
      FIX::FieldNotFound, FIX::IncorrectDataFormat, FIX::IncorrectTagValue, FIX::RejectLogon) override {
    const std::string type = typeOf(message);
    if (type == "A") {
      FIX::Password given;
      if (!message.getFieldIfSet(given) || given.getValue() != password_) throw FIX::RejectLogon("wrong password");
    }
    if (type == "2") say("is asked again", id);
    if (type == "4") say("gap filled", id);
    if (type == "3") say("is rejected: " + message.toString(), id);
  }

  void fromApp(const FIX::Message& message, const FIX::SessionID& id) throw(
      FIX::FieldNotFound, FIX::IncorrectDataFormat, FIX::IncorrectTagValue, FIX::UnsupportedMessageType) override {
    crack(message, id);
  }

  void onMessage(const FIX44::MarketDataRequest& message, const FIX::SessionID& id) override {
    std::lock_guard<std::mutex> guard(lock_);
    FIX::MDReqID request;
    message.get(request);
    FIX::SubscriptionRequestType wanted;
    if (message.get(wanted).getValue() == '2') {
      subscriptions_.erase(id.toString() + " " + request.getValue());
      say("unsubscribes", id);
      return;
    }
    FIX44::MarketDataRequest::NoRelatedSym row;
    FIX::Symbol symbol;
    message.getGroup(1, row);
    row.get(symbol);
    if (mids_.find(symbol) == mids_.end()) {
      FIX44::MarketDataRequestReject reject(request);
      reject.set(FIX::MDReqRejReason('0'));
      reject.set(FIX::Text("no prices of " + symbol.getValue()));
      FIX::Session::sendToTarget(reject, id);
      return;
    }
    FIX::MDUpdateType updates;
    const bool incremental = message.isSet(updates) && message.get(updates).getValue() == 1;
    const Subscription subscription = {id, request, symbol, incremental};
    subscriptions_[id.toString() + " " + request.getValue()] = subscription;
    publish(subscription, false);
  }

  void onMessage(const FIX44::QuoteRequest& message, const FIX::SessionID& id) override {
    std::lock_guard<std::mutex> guard(lock_);
    FIX::QuoteReqID request;
    message.get(request);
    FIX44::QuoteRequest::NoRelatedSym row;
    FIX::Symbol symbol;
    message.getGroup(1, row);
    row.get(symbol);
    const auto found = mids_.find(symbol);
    if (found == mids_.end()) {
      FIX44::QuoteRequestReject reject(request, FIX::QuoteRequestRejectReason(1));
      FIX44::QuoteRequestReject::NoRelatedSym rejected;
      rejected.set(symbol);
      reject.addGroup(rejected);
      reject.set(FIX::Text("no quotes of " + symbol.getValue()));
      FIX::Session::sendToTarget(reject, id);
      return;
    }
    FIX44::Quote quote(FIX::QuoteID(next("Q")));
    quote.set(request);
    quote.set(symbol);
    quote.setField(FIX::FIELD::BidPx, price(found->second, -1));
    quote.setField(FIX::FIELD::OfferPx, price(found->second, 1));
    quote.setField(FIX::FIELD::BidSize, "1000000");
    quote.setField(FIX::FIELD::OfferSize, "1000000");
    FIX::UtcTimeStamp until = FIX::UtcTimeStamp();
    until += 5;
    quote.set(FIX::ValidUntilTime(until));
    FIX::Session::sendToTarget(quote, id);
  }

  void onMessage(const FIX44::NewOrderSingle& order, const FIX::SessionID& id) override {
    std::lock_guard<std::mutex> guard(lock_);
    FIX::Symbol symbol;
    order.get(symbol);
    const auto found = mids_.find(symbol);
    if (found == mids_.end()) return report(order, id, '8', 0, 0, "", "no prices of " + symbol.getValue());
    const bool buys = order.getField(FIX::FIELD::Side) == "1";
    const std::string own = price(found->second, buys ? 1 : -1);
    if (order.isSetField(FIX::FIELD::Price)) {
      const double wanted = std::stod(order.getField(FIX::FIELD::Price));
      if (buys ? wanted < std::stod(own) : wanted > std::stod(own))
        return report(order, id, '8', 0, 0, "", "price not available");
    }
    const long long quantity = std::stoll(order.getField(FIX::FIELD::OrderQty));
    if (quantity <= FILLED_MAX) return report(order, id, '2', quantity, 0, own, "");
    report(order, id, '1', FILLED_MAX, quantity - FILLED_MAX, own, "");
    report(order, id, '4', FILLED_MAX, 0, "", "the rest is cancelled");
  }

 private:
  static std::string typeOf(const FIX::Message& message) { return message.getHeader().getField(FIX::FIELD::MsgType); }

  void say(const std::string& what, const FIX::SessionID& id) {
    std::lock_guard<std::mutex> guard(output_);
    std::cout << id.getTargetCompID().getValue() << " " << what << std::endl;
  }

  std::string next(const std::string& prefix) { return prefix + std::to_string(++number_); }

  void publish(const Subscription& subscription, bool incremental, bool withoutOffer = false) {
    const Mid& mid = mids_[subscription.symbol];
    if (incremental) {
      FIX44::MarketDataIncrementalRefresh changes;
      changes.set(FIX::MDReqID(subscription.id));
      for (const int side : {0, 1}) {
        FIX44::MarketDataIncrementalRefresh::NoMDEntries entry;
        entry.set(FIX::MDUpdateAction('1'));
        entry.set(FIX::MDEntryType(side == 0 ? '0' : '1'));
        entry.set(FIX::Symbol(subscription.symbol));
        entry.setField(FIX::FIELD::MDEntryPx, price(mid, side == 0 ? -1 : 1));
        entry.setField(FIX::FIELD::MDEntrySize, "1000000");
        changes.addGroup(entry);
      }
      FIX::Session::sendToTarget(changes, subscription.session);
      return;
    }
    FIX44::MarketDataSnapshotFullRefresh snapshot;
    snapshot.set(FIX::MDReqID(subscription.id));
    snapshot.set(FIX::Symbol(subscription.symbol));
    for (const int side : {0, 1}) {
      if (side == 1 && withoutOffer) continue;
      FIX44::MarketDataSnapshotFullRefresh::NoMDEntries entry;
      entry.set(FIX::MDEntryType(side == 0 ? '0' : '1'));
      entry.setField(FIX::FIELD::MDEntryPx, price(mid, side == 0 ? -1 : 1));
      entry.setField(FIX::FIELD::MDEntrySize, "1000000");
      snapshot.addGroup(entry);
    }
    FIX::Session::sendToTarget(snapshot, subscription.session);
  }

  void report(const FIX44::NewOrderSingle& order, const FIX::SessionID& id, char status, long long filled,
              long long remaining, const std::string& at, const std::string& reason) {
    const std::string client = order.getField(FIX::FIELD::ClOrdID);
    FIX44::ExecutionReport answer;
    answer.set(FIX::OrderID("O-" + client));
    answer.set(FIX::ClOrdID(client));
    answer.set(FIX::ExecID(next("E")));
    answer.set(FIX::ExecType(at.empty() ? status : 'F'));
    answer.set(FIX::OrdStatus(status));
    answer.set(FIX::Symbol(order.getField(FIX::FIELD::Symbol)));
    answer.set(FIX::Side(order.getField(FIX::FIELD::Side)[0]));
    answer.setField(FIX::FIELD::OrderQty, order.getField(FIX::FIELD::OrderQty));
    answer.setField(FIX::FIELD::LeavesQty, std::to_string(remaining));
    answer.setField(FIX::FIELD::CumQty, std::to_string(filled));
    answer.setField(FIX::FIELD::AvgPx, at.empty() ? "0" : at);
    if (!at.empty()) {
      answer.setField(FIX::FIELD::LastPx, at);
      answer.setField(FIX::FIELD::LastQty, std::to_string(filled));
    }
    if (!reason.empty()) answer.set(FIX::Text(reason));
    FIX::Session::sendToTarget(answer, id);
  }

  const std::string password_;
  std::mutex lock_;
  std::mutex output_;
  std::map<std::string, Mid> mids_;
  std::map<std::string, Subscription> subscriptions_;
  std::set<FIX::SessionID> sessions_;
  long long draw_ = 1;
  long long number_ = static_cast<long long>(std::chrono::system_clock::now().time_since_epoch().count()) / 1000000;
};

}  // namespace

int main(int count, char** arguments) {
  const char* password = std::getenv("VENUE_PASSWORD");
  if (count != 3 || password == nullptr) {
    std::cerr << "VENUE_PASSWORD=... venue <settings file> <milliseconds between prices>" << std::endl;
    return 2;
  }
  try {
    FIX::SessionSettings settings(arguments[1]);
    Venue venue(password);
    FIX::FileStoreFactory stores(settings);
    FIX::SocketAcceptor acceptor(venue, stores, settings);
    acceptor.start();
    std::cout << "READY" << std::endl;
    const int interval = std::stoi(arguments[2]);
    if (interval > 0) {
      std::thread([&venue, interval] {
        for (;;) {
          std::this_thread::sleep_for(std::chrono::milliseconds(interval));
          venue.move();
        }
      }).detach();
    }
    std::string line;
    while (std::getline(std::cin, line)) {
      std::istringstream words(line);
      std::string command;
      int number = 0;
      words >> command >> number;
      if (command == "move") venue.move();
      if (command == "skip") venue.skip(number);
      if (command == "withdraw") venue.withdraw();
      if (command == "logout") venue.logout();
    }
    acceptor.stop();
    // The thread of the prices has no end of its own.
    std::_Exit(0);
  } catch (const std::exception& error) {
    std::cerr << error.what() << std::endl;
    return 1;
  }
}
