// An ONNX model in the window: what it leaves open is asked for, and nothing is taken before it is answered.
#include "app/profile/model_dialog.h"
#include "tests/app/window_fixture.h"
#include "tests/support/window_rooms.h"
#include "tests/support/qt_program.h"
#include "views/common/theme.h"

#include <onnx/onnx_pb.h>

#include <QLabel>
#include <QSpinBox>

using namespace stagecraft;

namespace {

/// One product of [batch, tokens, 64] with weights of 64 × 32.
QByteArray productModel() {
    ::onnx::ModelProto model;
    model.set_ir_version(7);
    model.add_opset_import()->set_version(13);
    ::onnx::GraphProto& graph = *model.mutable_graph();
    graph.set_name("product");
    ::onnx::ValueInfoProto& input = *graph.add_input();
    input.set_name("x");
    auto& type = *input.mutable_type()->mutable_tensor_type();
    type.set_elem_type(::onnx::TensorProto::FLOAT);
    type.mutable_shape()->add_dim()->set_dim_param("batch");
    type.mutable_shape()->add_dim()->set_dim_param("tokens");
    type.mutable_shape()->add_dim()->set_dim_value(64);
    ::onnx::TensorProto& weights = *graph.add_initializer();
    weights.set_name("w");
    weights.set_data_type(::onnx::TensorProto::FLOAT);
    weights.add_dims(64);
    weights.add_dims(32);
    weights.set_raw_data(std::string(64 * 32 * 4, '\0'));
    ::onnx::NodeProto& node = *graph.add_node();
    node.set_op_type("MatMul");
    node.set_name("product");
    node.add_input("x");
    node.add_input("w");
    node.add_output("y");
    graph.add_output()->set_name("y");
    return QByteArray::fromStdString(model.SerializeAsString());
}

}  // namespace

class OnnxWindowTest : public QObject {
    Q_OBJECT

    PrivateHome home_;

private slots:
    void initTestCase() { applyTheme(*qApp, ThemeChoice::light); }

    void openDimensionsAreAskedForBeforeTheModelIsTaken() {
        const QString path = home_.file(QStringLiteral("product.onnx"));
        writeText(path, productModel());
        MainWindow window;
        window.show();
        openAndWait(window, path);
        QVERIFY(!window.workspace().isOpen());
        auto* dialog = window.findChild<ModelDialog*>();
        QVERIFY(dialog && dialog->isVisible());
        auto* use = dialog->findChild<QPushButton*>(QStringLiteral("useProfile"));
        auto* totals = dialog->findChild<QLabel*>(QStringLiteral("totals"));
        QTRY_VERIFY2(totals->text().contains(QStringLiteral("tokens")), qPrintable(totals->text()));
        QVERIFY(!use->isEnabled());

        auto* tokens = dialog->findChild<QSpinBox*>(QStringLiteral("tokens"));
        QVERIFY(tokens);
        tokens->setFocus();
        tokens->selectAll();
        QTest::keyClicks(tokens, QStringLiteral("128"));
        QTRY_VERIFY(use->isEnabled());
        QTest::mouseClick(use, Qt::LeftButton);

        const LayerProfile& profile = window.workspace().problem().profile;
        QCOMPARE(profile.layerCount(), 1);
        QCOMPARE(profile.microbatchSize, 1);
        QCOMPARE(profile.layers[0].parameterBytes, 64.0 * 32 * 4);
        QVERIFY(profile.layers[0].forwardS > 0);
        QVERIFY2(profile.source.find("tokens") != std::string::npos, profile.source.c_str());
    }
};

STAGECRAFT_TEST(OnnxWindowTest)
#include "onnx_window_test.moc"
